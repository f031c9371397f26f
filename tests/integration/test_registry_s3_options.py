"""What a store's URL asks of the service reaches it."""

from uuid import uuid4

import boto3
import pytest

from registry import Catalog
from registry.errors import StoreError
from registry.layout import BLOBS
from registry.store import open_store
from registry.store.s3_client import connect
from registry.store.s3_place import read_url
from tests.drafts import write_draft
from tests.meter import Meter
from tests.seaweed import BUCKET, Seaweed
from tests.table_drafts import SHARD_ROWS, change_rows, some_rows, write_table_draft


def test_what_is_written_is_encrypted_by_the_service_and_read_back(
    s3_environment: Seaweed, tmp_path
):
    prefix = uuid4().hex
    store = open_store(f"s3://{BUCKET}/{prefix}?encryption=AES256", endpoint=s3_environment.https)
    draft = write_draft(tmp_path / "draft", answer=b"large" * (2 << 20))
    version = Catalog(store).publish(draft, tmp_path / "draft")
    Catalog(store).verify(version)
    client = boto3.client("s3", endpoint_url=s3_environment.https, region_name="us-east-1")
    keys = [f"{prefix}/{entry.key}" for entry in store.entries("")]
    assert sum(key.startswith(f"{prefix}/{BLOBS}") for key in keys) == 8
    how = {client.head_object(Bucket=BUCKET, Key=key)["ServerSideEncryption"] for key in keys}
    client.close()
    assert how == {"AES256"}


def test_a_bucket_that_is_far_is_not_read_to_find_rows(s3_environment: Seaweed, tmp_path):
    url, rows = f"s3://{BUCKET}/{uuid4().hex}?compare=near", some_rows(2 * SHARD_ROWS)
    meter = Meter(open_store(url, endpoint=s3_environment.https))
    catalog, draft = Catalog(meter), tmp_path / "draft"

    def publish(rows, **near):
        return catalog.publish(write_table_draft(draft, rows), draft, **near)

    publish(rows)
    second = publish(change_rows(rows, 0.01, seed=1))
    assert (second.recipes, meter.down) == ({}, 0)
    older = catalog.pull(second, tmp_path / "second")
    name = "tables/items/000001.safetensors"
    near = {second.files[name].digest: older / name}
    assert [*publish(change_rows(rows, 0.01, seed=2), near=near).recipes] == [name]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ("", "https://s3.example/bucket/a?"),
        ("?addressing=path", "https://s3.example/bucket/a?"),
        ("?addressing=virtual", "https://bucket.s3.example/a?"),
        ("?requester_pays=true", "x-amz-request-payer=requester"),
    ],
)
def test_requests_are_made_as_the_url_says(s3_environment: Seaweed, options, part):
    client = connect(read_url(f"s3://bucket{options}", "https://s3.example"))
    address = client.generate_presigned_url("get_object", {"Bucket": "bucket", "Key": "a"})
    client.close()
    assert part in address


def test_a_key_of_the_key_service_goes_with_what_is_written_alone(s3_environment: Seaweed):
    url = "s3://bucket?encryption=aws:kms&kms_key=alias/models"
    client = connect(read_url(url, "https://s3.example"))
    put = client.generate_presigned_url("put_object", {"Bucket": "bucket", "Key": "a"})
    begin = client.generate_presigned_url(
        "create_multipart_upload", {"Bucket": "bucket", "Key": "a"}
    )
    get = client.generate_presigned_url("get_object", {"Bucket": "bucket", "Key": "a"})
    client.close()
    for address in (put, begin):
        assert "server-side-encryption" in address
        assert "aws-kms-key-id" in address
    assert "encryption" not in get


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("encryption=rot13", "encryption: Input should be 'AES256', 'aws:kms'"),
        ("kms_key=x", "kms_key goes with encryption=aws:kms"),
        ("encryption=AES256&kms_key=x", "kms_key goes with encryption=aws:kms"),
        ("addressing=auto", "addressing: Input should be 'path' or 'virtual'"),
        ("compare=some", "compare: Input should be 'all' or 'near'"),
        ("requester_pays=perhaps", "requester_pays: .* boolean"),
    ],
)
def test_says_what_is_wrong_with_an_option(options, fault):
    with pytest.raises(StoreError, match=f"store s3://bucket/: .*{fault}.* it takes: single_writ"):
        open_store(f"s3://bucket?{options}")
