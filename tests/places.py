"""Places for a store, for tests: opened as by a user, damaged as by an accident."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import boto3

from registry.partial_file import PARTIAL
from registry.store import Store, open_store
from tests.seaweed import BUCKET


@dataclass(frozen=True)
class Place:
    """Where a store is.

    Attributes:
        overwrite: Write bytes under a key, past the store; None removes the key.
        begin_upload: Begin to write a key, and never go on.
    """

    url: str
    endpoint: str | None
    overwrite: Callable[[str, bytes | None], None]
    begin_upload: Callable[[str], object]

    def open(self) -> Store:
        return open_store(self.url, endpoint=self.endpoint)


def folder_place(root: Path) -> Place:
    def overwrite(key: str, data: bytes | None) -> None:
        path = root / key
        path.unlink(missing_ok=True)
        if data is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def begin_upload(key: str) -> None:
        (root / PARTIAL).mkdir(parents=True)
        (root / PARTIAL / "left").write_bytes(b"half")

    return Place(str(root), None, overwrite, begin_upload)


def s3_place(endpoint: str, prefix: str) -> Place:
    """Take a prefix of the test bucket; credentials come from the environment."""

    def overwrite(key: str, data: bytes | None) -> None:
        with closing(connect()) as client:
            if data is None:
                client.delete_object(Bucket=BUCKET, Key=f"{prefix}/{key}")
            else:
                client.put_object(Bucket=BUCKET, Key=f"{prefix}/{key}", Body=data)

    def begin_upload(key: str) -> None:
        with closing(connect()) as client:
            client.create_multipart_upload(Bucket=BUCKET, Key=f"{prefix}/{key}")

    def connect():
        return boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")

    return Place(f"s3://{BUCKET}/{prefix}", endpoint, overwrite, begin_upload)
