"""A server with a key service, and with names of hosts for its buckets."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import boto3
import pytest

from registry import Catalog
from registry.errors import StoreError
from registry.layout import BLOBS
from registry.store import open_store
from tests.drafts import write_draft
from tests.key_service import KeyService, key_service
from tests.seaweed import ACCESS_KEY, BUCKET, SECRET_KEY, Seaweed, seaweed

DOMAIN = "s3.test"


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[tuple[Seaweed, KeyService]]:
    folder = tmp_path_factory.mktemp("served")
    with key_service() as keys:
        config = folder / "s3.json"
        config.write_text(json.dumps(told(keys)))
        with seaweed(folder, f"-s3.config={config}", f"-s3.domainName={DOMAIN}") as server:
            yield server, keys


def told(keys: KeyService) -> dict:
    """Say who may do what, and where keys are wrapped."""
    credentials = [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}]
    actions = ["Admin", "Read", "Write", "List", "Tagging"]
    vault = {
        "type": "openbao",
        "address": keys.url,
        "token": "x",
        "transit_path": "transit",
        "cache_enabled": False,
    }
    return {
        "identities": [{"name": "tests", "credentials": credentials, "actions": actions}],
        "kms": {"default_provider": "vault", "providers": {"vault": vault}},
    }


@pytest.fixture
def server(served, monkeypatch) -> Seaweed:
    for name, value in served[0].environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    return served[0]


def test_what_is_written_takes_a_key_of_the_key_service_to_be_read(
    served, server: Seaweed, tmp_path: Path
):
    keys, prefix = served[1], uuid4().hex
    url = f"s3://{BUCKET}/{prefix}?encryption=aws:kms&kms_key=alias/models&attempts=1"
    catalog = Catalog(open_store(url, endpoint=server.https))
    draft = write_draft(tmp_path / "draft", answer=b"large" * (2 << 20))
    version = catalog.publish(draft, tmp_path / "draft")
    catalog.verify(version)
    assert {"encrypt/alias/models", "decrypt/alias/models"} <= set(keys.asked)
    found = [f"{prefix}/{entry.key}" for entry in catalog.store.entries("")]
    assert sum(key.startswith(f"{prefix}/{BLOBS}") for key in found) == 8
    with closing(boto3.client("s3", endpoint_url=server.http)) as client:
        heads = [client.head_object(Bucket=BUCKET, Key=key) for key in found]
    how = {(head["ServerSideEncryption"], head["SSEKMSKeyId"]) for head in heads}
    assert how == {("aws:kms", "alias/models")}
    keys.locked = True
    try:
        with pytest.raises(StoreError, match=prefix):
            catalog.verify(version)
    finally:
        keys.locked = False


def test_a_bucket_may_stand_in_the_name_of_the_host(server: Seaweed, tmp_path: Path, monkeypatch):
    """No name server knows these names: the server is its own proxy, which is asked for them."""
    monkeypatch.setenv("HTTP_PROXY", server.http)
    endpoint, prefix = server.http.replace("127.0.0.1", DOMAIN), uuid4().hex
    store = open_store(f"s3://{BUCKET}/{prefix}?addressing=virtual", endpoint=endpoint)
    draft = write_draft(tmp_path / "draft")
    version = Catalog(store).publish(draft, tmp_path / "draft")
    by_path = Catalog(open_store(f"s3://{BUCKET}/{prefix}", endpoint=server.http))
    assert by_path.resolve("ads") == version
    Catalog(store).verify(version)
    assert {entry.key for entry in store.entries("")} == {
        entry.key for entry in by_path.store.entries("")
    }
    nowhere = open_store(f"s3://no-such-bucket/{prefix}?addressing=virtual", endpoint=endpoint)
    with pytest.raises(StoreError, match="no-such-bucket"):
        nowhere.children("")


def test_who_agrees_to_pay_is_served_where_nothing_is_charged(server: Seaweed, tmp_path: Path):
    url = f"s3://{BUCKET}/{uuid4().hex}?requester_pays=true"
    catalog = Catalog(open_store(url, endpoint=server.https))
    version = catalog.publish(write_draft(tmp_path / "draft"), tmp_path / "draft")
    catalog.verify(version)
