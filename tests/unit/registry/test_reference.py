import pytest

from registry.errors import StoreError
from registry.reference import Reference, check_name, parse_reference


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("ads", Reference("ads")),
        ("ads@7", Reference("ads", number=7)),
        ("ads@000007", Reference("ads", number=7)),
        ("ads@production", Reference("ads", channel="production")),
        ("a.b-c_1@7b", Reference("a.b-c_1", channel="7b")),
    ],
)
def test_reads_a_reference(text, reference):
    assert parse_reference(text) == reference
    assert parse_reference(str(reference)) == reference


@pytest.mark.parametrize(
    "text",
    [
        *("", "@", "ads@", "@7", "ads@7@8", "ads@0", "ads@" + "9" * 30, "ads@7 ", "ads@٣"),
        *("Ads", "ads@Prod", "a/b", "..", "ads@..", "-x", "a" * 65, "ads\n"),
    ],
)
def test_refuses_what_is_no_reference(text):
    with pytest.raises(StoreError):
        parse_reference(text)


def test_a_channel_cannot_look_like_a_version():
    with pytest.raises(StoreError, match="a number is a version"):
        check_name("channel", "7")
