from pathlib import Path

import pytest

from registry.errors import StoreError
from registry.store import open_store


def test_what_has_no_scheme_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert open_store("models").url == str(tmp_path / "models")
    assert open_store("a:b").url == str(tmp_path / "a:b")
    assert open_store(f"file://{tmp_path}/a%20b").url == f"{tmp_path}/a b"
    assert open_store("~/models").url == str(Path.home() / "models")


def test_opening_a_store_touches_nothing(tmp_path):
    store = open_store(str(tmp_path / "models"))
    assert store.children("") == ()
    assert not (tmp_path / "models").exists()


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("", "no such kind of store"),
        ("gs://bucket", "store gs: there is no such kind of store. Known are: .*, s3://bucket/"),
        ("file://host/models", "not a path on this host. Write file:///absolute/path"),
        ("file:///models?x=1", "not a path on this host"),
    ],
)
def test_refuses_a_url_of_no_store(url, fault):
    with pytest.raises(StoreError, match=fault):
        open_store(url)


def test_a_folder_has_no_endpoint(tmp_path):
    with pytest.raises(StoreError, match="a folder has no endpoint"):
        open_store(str(tmp_path), endpoint="http://127.0.0.1:9")
