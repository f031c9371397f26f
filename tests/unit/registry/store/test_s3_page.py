"""Listings of a bucket, as this reads them, against boto3's own reading."""

from contextlib import closing
from uuid import uuid4

import boto3
import pytest

from registry.store import open_store
from registry.store.s3_page import take_objects
from tests.seaweed import BUCKET, Seaweed

NAMES = ("plain", "a b+c%2Fd", "ü/ß", "<&>\"'", "empty")


def test_a_listing_is_what_boto3_reads(s3_environment: Seaweed):
    prefix = uuid4().hex
    with closing(
        boto3.client("s3", endpoint_url=s3_environment.http, region_name="us-east-1")
    ) as client:
        for name in NAMES:
            body = b"" if name == "empty" else name.encode()
            client.put_object(Bucket=BUCKET, Key=f"{prefix}/{name}", Body=body)
        page = client.list_objects_v2(Bucket=BUCKET, Prefix=prefix)
    expected = {(item["Key"], item["Size"], item["LastModified"]) for item in page["Contents"]}
    assert {key for key, _, _ in expected} == {f"{prefix}/{name}" for name in NAMES}
    store = open_store(f"s3://{BUCKET}", endpoint=s3_environment.http)
    found = store.entries(f"{prefix}/")
    assert {(entry.key, entry.size, entry.modified) for entry in found} == expected


def test_a_prefix_without_objects_lists_none(s3_environment: Seaweed):
    store = open_store(f"s3://{BUCKET}/{uuid4().hex}", endpoint=s3_environment.http)
    assert list(store.entries("")) == []


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (503, b"<Error><Code>SlowDown</Code></Error>"),
        (200, b"<html><p>not what was asked"),
        (200, b"<a><Contents><Key>a</Key></Contents></a>"),
        (200, b"<a><Contents><Key>a</Key><Size>many</Size></Contents></a>"),
    ],
)
def test_what_is_no_listing_is_left_to_botocore(status, body):
    answer, taken = {"status_code": status, "body": body}, {}
    take_objects(answer, taken)
    assert (answer, taken) == ({"status_code": status, "body": body}, {})


ITEM = (
    "<Contents><Key>{key}</Key><Size>3</Size><LastModified>2026-11-30T16:11:58.000Z</LastModified>"
    "<Owner><ID>x</ID></Owner></Contents>"
)
AROUND = "<ListBucketResult xmlns='http://s3.example/'><IsTruncated>true</IsTruncated>{}<Prefix>p/</Prefix></ListBucketResult>"
USUAL = '<?xml version="1.0" encoding="UTF-8"?>\n'


@pytest.mark.parametrize(
    ("head", "key", "read"),
    [
        (USUAL, "p/ü &amp; &#34;b&#34;", 'p/ü & "b"'),
        (USUAL, "p/a%2Bb", "p/a%2Bb"),
        (USUAL, "<![CDATA[p/<a>]]>", "p/<a>"),
        ("", "p/plain", "p/plain"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>', "p/\xe4", "p/ä"),
    ],
)
def test_objects_are_taken_however_they_are_written(head, key, read):
    encoding = "latin-1" if "8859" in head else "utf-8"
    body = (head + AROUND.format(2 * ITEM.format(key=key))).encode(encoding)
    answer, taken = {"status_code": 200, "body": body}, {}
    take_objects(answer, taken)
    assert [(item["Key"], item["Size"]) for item in taken["Contents"]] == [(read, 3)] * 2
    assert b"Contents" not in answer["body"]
    assert b"IsTruncated" in answer["body"]
    assert b"Prefix" in answer["body"]
