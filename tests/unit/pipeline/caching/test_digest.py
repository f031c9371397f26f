"""Digests of files and of our own code."""

import hashlib
import os
import time

import pytest

from pipeline.caching.digest import Digests, digest_of_code
from registry.errors import SourceError


@pytest.fixture
def settled(tmp_path):
    """Return a file that was last changed a while ago."""
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    _age(file)
    return file


def _age(file, seconds=100):
    then = time.time() - seconds
    os.utime(file, (then, then))


def test_it_is_the_sha256_of_the_content(settled, tmp_path):
    assert Digests(tmp_path / "memory").of(settled) == hashlib.sha256(b"one").hexdigest()


def test_a_file_that_is_known_is_not_read_again(settled, tmp_path):
    digests = Digests(tmp_path / "memory")
    digests.of(settled)
    digests.save()
    stat = settled.stat()
    settled.write_bytes(b"two")
    os.utime(settled, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert Digests(tmp_path / "memory").of(settled) == hashlib.sha256(b"one").hexdigest()


def test_a_file_that_changed_is_read_again(settled, tmp_path):
    digests = Digests(tmp_path / "memory")
    digests.of(settled)
    settled.write_bytes(b"two")
    _age(settled, 50)
    assert digests.of(settled) == hashlib.sha256(b"two").hexdigest()


def test_a_file_that_changed_just_now_is_not_relied_on(settled, tmp_path):
    digests = Digests(tmp_path / "memory")
    settled.write_bytes(b"new")
    digests.of(settled)
    digests.save()
    assert not (tmp_path / "memory").exists()


def test_nothing_is_written_before_it_is_saved(settled, tmp_path):
    Digests(tmp_path / "memory").of(settled)
    assert not (tmp_path / "memory").exists()


@pytest.mark.parametrize("text", ["", "{", "[1]"])
def test_a_broken_memory_is_as_good_as_none(settled, tmp_path, text):
    (tmp_path / "memory").write_text(text)
    assert Digests(tmp_path / "memory").of(settled) == hashlib.sha256(b"one").hexdigest()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceError, match="gone: cannot be read: No such file"):
        Digests(tmp_path / "memory").of(tmp_path / "gone")


def test_code_that_a_stage_can_reach_changes_the_digest_and_no_other(tmp_path):
    for name in (
        "pipeline/processes/task.py",
        "registry/a.py",
        "targets/serving/app.py",
        "pipeline/cli.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    before = digest_of_code(tmp_path)
    (tmp_path / "targets/serving/app.py").write_text("2")
    (tmp_path / "pipeline/cli.py").write_text("2")
    assert digest_of_code(tmp_path) == before
    (tmp_path / "registry/a.py").write_text("2")
    assert digest_of_code(tmp_path) != before


def test_to_learn_reads_what_is_not_known_and_tells_how_far_it_is(settled, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(bytes(3 << 20))
    _age(other)
    digests = Digests(tmp_path / "memory")
    digests.of(settled)
    seen = []
    digests.learn([settled, other, other], lambda *said: seen.append(said))
    assert [done for done, _, _ in seen] == sorted({done for done, _, _ in seen})
    assert seen[-1] == (3 << 20, 3 << 20, "bytes")
    before = len(seen)
    digests.learn([settled, other], lambda *said: seen.append(said))
    assert len(seen) == before


def test_to_learn_stops_where_it_is_told_to_and_keeps_what_is_whole(settled, tmp_path):
    big = tmp_path / "big"
    big.write_bytes(bytes(8 << 20))
    _age(big)
    digests = Digests(tmp_path / "memory")

    def stop(done, total, unit):
        if done > 2 << 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        digests.learn([settled, big], stop)
    digests.save()
    assert str(settled) in (tmp_path / "memory").read_text()
    assert str(big) not in (tmp_path / "memory").read_text()
