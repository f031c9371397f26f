import hashlib

import pytest

from registry.digest import CHUNK, digest_file, digest_of


@pytest.mark.parametrize("size", [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_is_the_digest_of_all_bytes(tmp_path, size):
    data = bytes(range(256)) * (size // 256 + 1)
    (tmp_path / "file").write_bytes(data[:size])
    moved: list[int] = []
    file = digest_file(tmp_path / "file", moved.append)
    assert (file.digest, file.size) == (hashlib.sha256(data[:size]).hexdigest(), size)
    assert sum(moved) == size


def test_hands_every_chunk_on():
    written: list[bytes] = []
    file = digest_of([b"a", b"bc"], written.append)
    assert (b"".join(written), file.size) == (b"abc", 3)
