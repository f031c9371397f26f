import pytest

from registry.digest import digest_file, ignore
from registry.errors import StoreError
from registry.store import open_store


@pytest.fixture
def store(tmp_path):
    """Open an empty store in `tmp_path/store`."""
    return open_store(str(tmp_path / "store"))


def test_objects_are_read_only_and_copies(store, tmp_path):
    path = tmp_path / "blob"
    path.write_bytes(b"blob")
    store.upload("blobs/x", path, digest_file(path), ignore)
    store.create("a", b"x")
    path.write_bytes(b"edit")
    assert (tmp_path / "store/blobs/x").read_bytes() == b"blob"
    for name in ("blobs/x", "a"):
        assert (tmp_path / "store" / name).stat().st_mode & 0o222 == 0


def test_leaves_nothing_beside_the_objects(store, tmp_path):
    assert store.create("a", b"x")
    assert not store.create("a", b"y")
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["a"]


def test_a_write_that_was_cut_off_shows_nothing(store, tmp_path):
    (tmp_path / "store/models/ads/versions").mkdir(parents=True)
    (tmp_path / "store/.partial").mkdir()
    (tmp_path / "store/.partial/x").write_bytes(b"half")
    assert store.children("") == ()
    assert store.children("models/") == ()


def test_says_that_a_file_is_in_the_way(tmp_path):
    (tmp_path / "store").write_text("a file")
    with pytest.raises(StoreError, match=r"store.*: (Not a directory|File exists)\. "):
        open_store(str(tmp_path / "store")).create("a/b", b"x")
    with pytest.raises(StoreError, match=r"Not a directory\. A file lies where a folder is needed"):
        open_store(str(tmp_path / "store")).get("a/b")


def test_says_that_there_is_nothing_to_upload(store, tmp_path):
    path = tmp_path / "blob"
    path.write_bytes(b"blob")
    file = digest_file(path)
    path.unlink()
    with pytest.raises(StoreError, match="blob: No such file or directory"):
        store.upload("x", path, file, ignore)
