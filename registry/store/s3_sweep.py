"""List all of a store in a bucket, and remove from it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from registry.store.s3_faults import code_of
from registry.store.s3_upload import Destination
from registry.store.store import Entry

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

#: Keys that one request may name.
_AT_ONCE = 1000

#: Of services that cannot do it.
_UNKNOWN = frozenset({"NotImplemented", "501", "MethodNotAllowed", "405"})


def list_objects(root: Destination, prefix: str) -> Iterator[Entry]:
    """List objects with the times at which the service wrote them."""
    pages = root.client.get_paginator("list_objects_v2")
    for page in pages.paginate(Bucket=root.bucket, Prefix=root.key + prefix):
        for item in page.get("Contents", ()):
            yield Entry(item["Key"].removeprefix(root.key), item["Size"], item["LastModified"])


def delete_objects(client: "S3Client", bucket: str, keys: Sequence[str]) -> None:
    """Delete objects; an answer that lists a failure is the failure."""
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        try:
            answer = client.delete_objects(
                Bucket=bucket, Delete={"Objects": [{"Key": key} for key in some], "Quiet": True}
            )
        except ClientError as error:
            if code_of(error) not in _UNKNOWN:
                raise
            _delete_singly(client, bucket, some)
            continue
        for failure in answer.get("Errors", ()):
            raise ClientError({"Error": {"Code": failure.get("Code", "?")}}, "DeleteObjects")


def abort_uploads(root: Destination, before: datetime) -> int:
    """Abort uploads in parts that were begun before a time, and say how many."""
    pages = root.client.get_paginator("list_multipart_uploads")
    left = [
        (item["Key"], item["UploadId"])
        for page in pages.paginate(Bucket=root.bucket, Prefix=root.key)
        for item in page.get("Uploads", ())
        if item["Initiated"] < before
    ]
    for key, upload in left:
        root.client.abort_multipart_upload(Bucket=root.bucket, Key=key, UploadId=upload)
    return len(left)


def _delete_singly(client: "S3Client", bucket: str, keys: Sequence[str]) -> None:
    for key in keys:
        client.delete_object(Bucket=bucket, Key=key)
