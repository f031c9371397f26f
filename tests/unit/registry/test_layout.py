from registry.layout import blob_key, numbered, numbers_in, versions_prefix


def test_keys_are_those_that_the_design_shows():
    assert numbered(versions_prefix("ads"), 7) == "models/ads/versions/000007.json"
    assert blob_key("ab" + "0" * 62) == "blobs/sha256/ab/ab" + "0" * 62


def test_reads_numbers_beyond_six_digits_in_their_order():
    names = tuple(numbered("", number) for number in (1_000_000, 2, 999_999))
    assert numbers_in(names) == (2, 999_999, 1_000_000)


def test_passes_over_what_is_not_of_the_series():
    strangers = ("7.json", "000000.json", "000007.json.bak", "-00001.json", "٠٠٠٠٠٧.json", "notes")
    assert numbers_in((*strangers, "000003.json")) == (3,)
