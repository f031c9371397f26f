"""Memory and disk, within every limit."""

from pathlib import Path

import psutil

from pipeline.processes import resources


def test_the_disk_of_a_folder_that_is_not_there_yet(tmp_path):
    free = resources.free_disk(tmp_path / "not" / "yet")
    assert abs(free - psutil.disk_usage(str(tmp_path)).free) < 1 << 30


def test_free_memory_is_no_more_than_the_host_has():
    assert 0 < resources.free_memory() <= psutil.virtual_memory().total


def limited(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"memory.{name}").write_text(text)
    return folder


def test_pages_that_can_be_dropped_do_not_count_as_used(tmp_path):
    group = limited(
        tmp_path / "two", max="1000\n", current="600\n", stat="anon 300\ninactive_file 200\n"
    )
    assert resources.headroom(group) == 600


def test_a_limit_of_the_first_version(tmp_path):
    group = limited(tmp_path / "one", limit_in_bytes="1000\n", usage_in_bytes="400\n")
    assert resources.headroom(group) == 600


def test_no_limit_is_no_limit(tmp_path):
    group = limited(tmp_path / "none", max="max\n", current="600\n")
    assert resources.headroom(group) > 1 << 60
