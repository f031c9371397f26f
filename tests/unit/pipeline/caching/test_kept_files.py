"""Files of outputs, and how a change is noticed."""

import json
import os
from pathlib import Path

import pytest

from pipeline.caching.kept_files import check_files, files_of_record, keep_files
from registry.manifest import File


@pytest.fixture
def output(tmp_path):
    folder = tmp_path / "entry" / "output"
    folder.mkdir(parents=True)
    (folder / "file").write_text("text")
    return folder


def write_record(output: Path) -> None:
    files = {name: file.model_dump() for name, file in keep_files(output).items()}
    (output.parent / "record.json").write_text(json.dumps({"files": files, "name": "split"}))


def overwrite(file: Path, text: str) -> None:
    file.chmod(0o644)
    file.write_text(text)


def test_kept_files_are_read_only(output):
    keep_files(output)
    assert (output / "file").stat().st_mode & 0o222 == 0


def test_what_is_as_kept_is_believed_and_not_read(output):
    kept = keep_files(output)
    before = (output / "file").stat()
    overwrite(output / "file", "TEXT")
    os.utime(output / "file", ns=(before.st_atime_ns, before.st_mtime_ns))
    check_files(output, kept)


def test_a_file_of_another_time_is_read(output):
    kept = keep_files(output)
    (output / "file").touch()
    check_files(output, kept)
    overwrite(output / "file", "TEXT")
    with pytest.raises(ValueError, match="its file file was changed"):
        check_files(output, kept)


def test_a_file_that_is_gone_is_named(output):
    kept = keep_files(output)
    (output / "file").unlink()
    with pytest.raises(ValueError, match="its file file is gone"):
        check_files(output, kept)


def test_a_link_keeps_the_digest_that_it_had_where_it_is_from(output, tmp_path):
    write_record(output)
    before = (output / "file").stat()
    overwrite(output / "file", "TEXT")
    os.utime(output / "file", ns=(before.st_atime_ns, before.st_mtime_ns))
    other = tmp_path / "other" / "output"
    other.mkdir(parents=True)
    (other / "linked").hardlink_to(output / "file")
    assert keep_files(other, [output])["linked"] == files_of_record(output)["file"]
    assert keep_files(other)["linked"].digest != files_of_record(output)["file"].digest


def test_a_file_that_was_hashed_while_it_was_written_is_not_read_again(output):
    hashed = File(digest="a" * 64, size=4)
    assert keep_files(output, hashed={"file": hashed})["file"].digest == hashed.digest


def test_a_file_of_another_size_than_was_hashed_is_read(output):
    hashed = File(digest="a" * 64, size=5)
    assert keep_files(output, hashed={"file": hashed}) == keep_files(output)


@pytest.mark.parametrize("text", ["", '{"files": {"file": 4}}'])
def test_a_record_without_digests_lists_nothing(output, text):
    (output.parent / "record.json").write_text(text)
    assert files_of_record(output) == {}
