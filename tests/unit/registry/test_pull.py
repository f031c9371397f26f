import pytest

from registry.errors import StoreError


def test_does_not_follow_a_link_that_leads_out_of_the_folder(shelf, version, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "pulled").mkdir()
    (tmp_path / "pulled/ids").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError, match=r"pulled/ids leads out of .* by a link\. Remove it"):
        shelf.pull(version, tmp_path / "pulled")
    assert not list((tmp_path / "outside").iterdir())


def test_replaces_a_link_in_place_of_a_file_and_leaves_what_it_led_to(shelf, version, tmp_path):
    (tmp_path / "other").write_bytes(b"other")
    (tmp_path / "pulled").mkdir()
    (tmp_path / "pulled/job.yaml").symlink_to(tmp_path / "other")
    shelf.pull(version, tmp_path / "pulled")
    assert not (tmp_path / "pulled/job.yaml").is_symlink()
    assert (tmp_path / "other").read_bytes() == b"other"


def test_does_not_write_through_a_link_where_partial_files_go(shelf, version, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "pulled").mkdir()
    (tmp_path / "pulled/.partial").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError, match=r"\.partial: File exists"):
        shelf.pull(version, tmp_path / "pulled")
    assert not list((tmp_path / "outside").iterdir())


def test_leaves_other_files_of_the_folder_alone(shelf, version, tmp_path):
    (tmp_path / "pulled").mkdir()
    (tmp_path / "pulled/notes.txt").write_text("mine")
    shelf.pull(version, tmp_path / "pulled")
    assert (tmp_path / "pulled/notes.txt").read_text() == "mine"


def test_says_that_the_folder_is_a_file(shelf, version, tmp_path):
    (tmp_path / "pulled").write_text("mine")
    with pytest.raises(StoreError, match="pulled: File exists"):
        shelf.pull(version, tmp_path / "pulled")


def test_what_a_user_does_to_pulled_files_does_not_reach_the_store(shelf, version, tmp_path):
    folder = shelf.pull(version, tmp_path / "pulled")
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"edited")
    shelf.verify(version)
