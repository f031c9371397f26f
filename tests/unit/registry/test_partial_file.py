import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from registry.partial_file import PARTIAL, STALE, partial_file, write_all


def test_what_is_not_moved_away_is_gone_and_so_is_its_folder(tmp_path):
    with partial_file(tmp_path) as file:
        write_all(file, b"data")
        assert [path.name for path in tmp_path.iterdir()] == [PARTIAL]
    assert list(tmp_path.iterdir()) == []


def test_what_fails_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), partial_file(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_sweeps_what_dead_processes_left_and_nothing_younger(tmp_path):
    for name, age in (("old", STALE + 60), ("young", STALE - 60)):
        path = tmp_path / PARTIAL / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"left")
        os.utime(path, (time.time() - age,) * 2)
    with partial_file(tmp_path):
        pass
    assert [path.name for path in (tmp_path / PARTIAL).iterdir()] == ["young"]


def test_many_writers_share_the_folder(tmp_path):
    def write(number: int) -> None:
        with partial_file(tmp_path) as file:
            write_all(file, b"%d" % number)
            Path(os.fsdecode(file.name)).rename(tmp_path / str(number))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(write, range(500)))
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"%d" % n for n in range(500)}
