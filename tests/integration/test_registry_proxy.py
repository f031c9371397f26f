"""Stores are reached through the proxy that the environment names."""

from uuid import uuid4

import pytest

from registry import Catalog
from registry.errors import StoreError
from registry.store import open_store
from tests.drafts import write_draft
from tests.forward_proxy import forward_proxy
from tests.seaweed import BUCKET, Seaweed


@pytest.fixture
def direct(s3_environment: Seaweed, monkeypatch: pytest.MonkeyPatch) -> Seaweed:
    """Give the server, with no proxy named, and no exception made from one."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return s3_environment


def publish_and_verify(endpoint: str, folder) -> None:
    catalog = Catalog(open_store(f"s3://{BUCKET}/{uuid4().hex}", endpoint=endpoint))
    draft = write_draft(folder / "draft", answer=b"large" * (2 << 20))
    catalog.verify(catalog.publish(draft, folder / "draft"))


def test_all_requests_to_an_http_endpoint_go_through_its_proxy(direct, tmp_path, monkeypatch):
    with forward_proxy(direct.http) as (proxy, asked):
        monkeypatch.setenv("HTTP_PROXY", proxy)
        publish_and_verify(direct.http, tmp_path)
    assert {"GET", "PUT", "POST", "HEAD"} <= set(asked)


def test_an_https_endpoint_is_reached_by_tunnels_through_its_proxy(direct, tmp_path, monkeypatch):
    with forward_proxy(direct.https) as (proxy, asked):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        publish_and_verify(direct.https, tmp_path)
    assert set(asked) == {"CONNECT"}


def test_a_host_that_no_proxy_names_is_reached_without_it(direct, tmp_path, monkeypatch):
    with forward_proxy(direct.https) as (proxy, asked):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        publish_and_verify(direct.https, tmp_path)
    assert asked == []


def test_a_proxy_that_is_not_there_is_told(direct, tmp_path, monkeypatch):
    with forward_proxy(direct.https) as (proxy, _):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
    store = open_store(f"s3://{BUCKET}/{uuid4().hex}?attempts=1", endpoint=direct.https)
    with pytest.raises(StoreError, match=r"the proxy cannot be reached.* Check HTTPS_PROXY"):
        store.get("a")
