"""Versions in S3-compatible storage. The client library loads when a store is opened."""

import os

from registry.store.s3_place import EXAMPLE, read_url
from registry.store.store import Store, StoreKind


def _open(url: str, endpoint: str | None) -> Store:
    from registry.store.s3_bucket import S3Bucket  # noqa: PLC0415  boto3 takes its time to load

    told = (os.environ.get(name) for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
    return S3Bucket(read_url(url, endpoint or next(filter(None, told), None)))


S3 = StoreKind(scheme="s3", example=EXAMPLE, open=_open)
