"""Pulled versions: those in use stay, and one to go back to."""

import os

import pytest

from targets.serving.kept import Hold, tidy


@pytest.fixture
def versions(tmp_path):
    """Return the folder of a model with four versions, of which the fourth was used last."""
    for number in range(1, 5):
        folder = tmp_path / f"{number}-abc"
        folder.mkdir()
        (folder / "file").write_text("text")
        Hold(folder).release()
        os.utime(tmp_path / f"{number}-abc.lock", ns=(number, number))
    return tmp_path


def left(versions):
    return sorted(path.name for path in versions.iterdir() if path.is_dir())


def test_the_last_used_version_that_is_idle_stays(versions):
    assert tidy(versions) == ("1-abc", "2-abc", "3-abc")
    assert left(versions) == ["4-abc"]
    assert sorted(path.name for path in versions.glob("*.lock")) == ["4-abc.lock"]


def test_versions_in_use_stay_beside_it(versions):
    with Hold(versions / "1-abc"), Hold(versions / "1-abc"), Hold(versions / "2-abc"):
        assert tidy(versions) == ("3-abc",)
    assert left(versions) == ["1-abc", "2-abc", "4-abc"]


def test_a_version_that_is_still_used_by_one_of_two_stays(versions):
    with Hold(versions / "1-abc"):
        Hold(versions / "1-abc").release()
        tidy(versions)
    assert "1-abc" in left(versions)


def test_to_let_go_counts_as_a_use(versions):
    Hold(versions / "2-abc").release()
    tidy(versions)
    assert left(versions) == ["2-abc"]


def test_a_version_may_be_named_that_stays_as_well(versions):
    assert tidy(versions, stays="1-abc") == ("2-abc", "3-abc")


def test_versions_from_before_there_were_locks_count_by_their_folders(versions):
    (versions / "4-abc.lock").unlink()
    os.utime(versions / "4-abc", ns=(0, 0))
    tidy(versions)
    assert left(versions) == ["3-abc"]


def test_a_lock_that_was_removed_is_not_taken_for_one(versions):
    """Who waits for a lock while it is removed takes the new one, as all others will."""
    with Hold(versions / "1-abc"):
        (versions / "1-abc.lock").unlink()
        with Hold(versions / "1-abc"):
            assert "1-abc" not in tidy(versions)


def test_nothing_is_removed_where_nothing_is(tmp_path):
    assert tidy(tmp_path / "none") == ()
