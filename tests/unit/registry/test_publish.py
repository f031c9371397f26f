import pytest

from registry.errors import IntegrityError
from tests.drafts import write_draft


def test_a_file_that_changes_while_it_is_published_stops_the_version(shelf, tmp_path):
    draft = write_draft(tmp_path / "draft")

    def meddle(done: float, total: float, unit: str) -> None:
        if done == total:
            (tmp_path / "draft/builds/cpu/model.bin").write_bytes(b"changed")

    with pytest.raises(IntegrityError, match=r"model\.bin changed while it was published"):
        shelf.publish(draft, tmp_path / "draft", meddle)
    assert shelf.models() == ()


def test_a_reader_of_numbers_finds_versions_that_others_removed(shelf, tmp_path):
    for answer in (b"1", b"2", b"3"):
        shelf.publish(write_draft(tmp_path / "draft", answer=answer), tmp_path / "draft")
    (tmp_path / "store/models/ads/versions/000002.json").unlink()
    assert shelf.versions("ads") == (1, 3)
    draft = write_draft(tmp_path / "draft", answer=b"4")
    assert shelf.publish(draft, tmp_path / "draft").number == 4


def test_files_that_are_the_same_are_kept_once(shelf, tmp_path):
    draft = write_draft(tmp_path / "draft")
    for number in range(5):
        (tmp_path / f"draft/builds/cpu/copy{number}").write_bytes(b"the same")
    shelf.publish(draft, tmp_path / "draft")
    blobs = [path for path in (tmp_path / "store/blobs").rglob("*") if path.is_file()]
    files = [path for path in (tmp_path / "draft").rglob("*") if path.is_file()]
    assert len(blobs) == len({path.read_bytes() for path in files}) == len(files) - 4
