"""Files that are written whole, by many at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline.caching.whole_file import write_whole


def test_many_writers_at_once_leave_one_whole_file(tmp_path):
    file = tmp_path / "inner" / "file.json"
    texts = [letter * 100_000 for letter in "abcdefgh"]
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda text: write_whole(file, text), texts * 25):
            pass
    assert file.read_text() in texts
    assert [path.name for path in file.parent.iterdir()] == ["file.json"]


def test_what_cannot_be_put_in_place_leaves_nothing(tmp_path):
    (tmp_path / "file" / "full").mkdir(parents=True)
    with pytest.raises(OSError, match="file"):
        write_whole(tmp_path / "file", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
