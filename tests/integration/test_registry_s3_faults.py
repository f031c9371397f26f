"""What goes wrong with S3-compatible storage is told: where, what, the remedy; no secret."""

import os
import re
import socket
from collections.abc import Callable
from uuid import uuid4

import pytest
import trustme

from registry import Catalog
from registry.digest import digest_file, ignore
from registry.errors import StoreError
from registry.store import Store, open_store
from tests.drafts import write_draft
from tests.leaky_proxy import leaky_proxy
from tests.rclone import rclone
from tests.seaweed import SECRET_KEY, Seaweed

WRONG_SECRET = "a-wrong-secret-never-to-be-shown"

USES: dict[str, Callable[[Store], object]] = {
    "get": lambda store: store.get("a"),
    "size": lambda store: store.size("a"),
    "list": lambda store: store.children("models/"),
    "create": lambda store: store.create("a", b"x"),
    "read": lambda store: list(store.read("a")),
}


@pytest.fixture(params=USES)
def use(request) -> Callable[[Store], object]:
    """Give each way to use a store."""
    return USES[request.param]


def fault(use: Callable[[Store], object], url: str, endpoint: str) -> str:
    """Return the text of the error that a use gives."""
    with pytest.raises(StoreError) as caught:
        use(open_store(url, endpoint=endpoint))
    text = str(caught.value)
    assert "s3://models" in text
    assert endpoint in text
    chain, error = "", caught.value
    while error:
        chain, error = chain + repr(error), error.__cause__ or error.__context__
    assert SECRET_KEY not in chain
    assert WRONG_SECRET not in chain
    return text


def test_a_wrong_secret_key(s3_environment: Seaweed, monkeypatch, use):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", WRONG_SECRET)
    text = fault(use, "s3://models/x", s3_environment.https)
    assert re.search("the secret key is wrong|the credentials are wrong", text)
    assert "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in text


def test_an_unknown_access_key(s3_environment: Seaweed, monkeypatch, use):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    text = fault(use, "s3://models/x", s3_environment.http)
    assert re.search("does not know the access key|the credentials are wrong", text)


def test_no_credentials(s3_environment: Seaweed, monkeypatch, use):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    text = fault(use, "s3://models/x", s3_environment.http)
    assert "there are no credentials" in text


@pytest.mark.parametrize("name", ["get", "list", "create"])
def test_a_missing_bucket(s3_environment: Seaweed, name):
    text = fault(USES[name], "s3://models-of-nobody/x", s3_environment.https)
    assert "s3://models-of-nobody/x" in text
    assert "there is no such bucket" in text
    assert "Create it, or correct the URL" in text


def test_an_upload_into_a_missing_bucket(s3_environment: Seaweed, tmp_path):
    path = tmp_path / "blob"
    path.write_bytes(b"blob")
    store = open_store("s3://models-of-nobody", endpoint=s3_environment.http)
    with pytest.raises(StoreError, match="there is no such bucket"):
        store.upload("a", path, digest_file(path), ignore)


def test_an_endpoint_that_cannot_be_reached(s3_environment: Seaweed, use):
    with socket.create_server(("127.0.0.1", 0)) as held:
        endpoint = f"http://127.0.0.1:{held.getsockname()[1]}"
    text = fault(use, "s3://models/x?attempts=1", endpoint)
    assert "it cannot be reached" in text
    assert "Check the endpoint and the network" in text


def test_an_endpoint_that_never_answers(s3_environment: Seaweed, use):
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        text = fault(use, "s3://models/x?attempts=1&timeout=0.3", endpoint)
    assert "it does not answer in time" in text
    assert "?timeout=SECONDS" in text


def test_a_certificate_of_an_unknown_authority(s3_environment: Seaweed, monkeypatch, tmp_path, use):
    trustme.CA().cert_pem.write_to_path(tmp_path / "other.pem")
    monkeypatch.setenv("AWS_CA_BUNDLE", str(tmp_path / "other.pem"))
    text = fault(use, "s3://models/x?attempts=1", s3_environment.https)
    assert "its TLS certificate is not to be trusted" in text
    assert "Set AWS_CA_BUNDLE" in text


def test_http_spoken_to_https(s3_environment: Seaweed, use):
    endpoint = s3_environment.https.replace("https", "http")
    text = fault(use, "s3://models/x?attempts=1", endpoint)
    assert re.search("status 400|speaks http or https", text)


def test_https_spoken_to_http(s3_environment: Seaweed, use):
    endpoint = s3_environment.http.replace("http", "https")
    text = fault(use, "s3://models/x?attempts=1", endpoint)
    assert re.search("TLS|speaks http or https", text)


def test_the_endpoint_may_come_from_the_environment(s3_environment: Seaweed, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_environment.http)
    store = open_store(f"s3://models/{uuid4().hex}")
    assert store.create("a", b"x")
    assert store.url.endswith(f" at {s3_environment.http}")


def test_an_answer_that_is_lost_does_not_lose_the_version(s3_environment: Seaweed, tmp_path):
    prefix = uuid4().hex
    request = f"PUT /models/{prefix}/models/ads/versions/000001.json".encode()
    with leaky_proxy(s3_environment.http, request) as endpoint:
        catalog = Catalog(open_store(f"s3://models/{prefix}", endpoint=endpoint))
        version = catalog.publish(write_draft(tmp_path / "draft"), tmp_path / "draft")
        assert version.number == 1
        assert catalog.versions("ads") == (1,)


def test_a_download_that_breaks_half_way_is_taken_up_again(s3_environment: Seaweed, tmp_path):
    prefix, path = uuid4().hex, tmp_path / "blob"
    path.write_bytes(os.urandom(200_000))
    store = open_store(f"s3://models/{prefix}", endpoint=s3_environment.http)
    store.upload("blob", path, digest_file(path), ignore)
    with leaky_proxy(s3_environment.http, f"GET /models/{prefix}/blob".encode(), 999) as endpoint:
        broken = open_store(f"s3://models/{prefix}", endpoint=endpoint)
        assert b"".join(broken.read("blob")) == path.read_bytes()


def test_an_endpoint_without_conditional_writes_is_refused(s3_environment: Seaweed, tmp_path):
    with rclone(tmp_path) as endpoint:
        store = open_store("s3://models/x", endpoint=endpoint)
        with pytest.raises(StoreError, match=r"does not honour conditional writes.*single_writer"):
            store.create("a", b"x")
        assert store.get("a") is None


def test_a_store_with_one_writer_needs_no_conditional_writes(s3_environment: Seaweed, tmp_path):
    with rclone(tmp_path) as endpoint:
        catalog = Catalog(open_store("s3://models/x?single_writer=true", endpoint=endpoint))
        draft = write_draft(tmp_path / "draft", answer=os.urandom(20 << 20))
        version = catalog.publish(draft, tmp_path / "draft")
        catalog.move("ads", "candidate", 1, who="ann", why="first")
        assert not catalog.store.create("models/ads/versions/000001.json", b"x")
        assert catalog.resolve("ads@candidate") == version
        catalog.verify(version)


@pytest.mark.parametrize(
    ("url", "endpoint", "text"),
    [
        ("s3://key:hunter2@bucket/x", None, "credentials do not belong in a URL"),
        ("s3://bucket/x", "https://key:hunter2@host", "credentials do not belong in a URL"),
        ("s3://bucket/x?secret=hunter2", None, "secret: Extra inputs are not permitted"),
        ("s3://bucket/x?single_writer=perhaps-hunter2", None, "single_writer: .* boolean"),
        ("s3://bucket/x?timeout=0", None, "timeout: .* greater than 0"),
        ("s3://[bucket/x", None, "Correct the URL"),
        ("s3:///x", None, "names no bucket"),
        ("s3://bucket/a/../b", None, "its prefix leads out of its folder"),
        ("s3://bucket/x#y", None, "has a '#'"),
        ("s3://Bad_Bucket!/x", "http://127.0.0.1:9", "Correct the URL"),
        ("s3://bucket/x", "not a url", "not a URL. Write https://host"),
        ("s3://bucket/x", "ftp://host", "not a URL. Write https://host"),
    ],
)
def test_a_url_that_is_wrong(s3_environment: Seaweed, url, endpoint, text):
    with pytest.raises(StoreError, match=text) as caught:
        open_store(url, endpoint=endpoint).get("a")
    assert "hunter2" not in str(caught.value)
