"""Places for a store, for tests: opened as by a user, damaged as by an accident."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import boto3

from registry.store import Store, open_store
from tests.seaweed import BUCKET


@dataclass(frozen=True)
class Place:
    """Where a store is.

    Attributes:
        overwrite: Write bytes under a key, past the store; None removes the key.
    """

    url: str
    endpoint: str | None
    overwrite: Callable[[str, bytes | None], None]

    def open(self) -> Store:
        return open_store(self.url, endpoint=self.endpoint)


def folder_place(root: Path) -> Place:
    def overwrite(key: str, data: bytes | None) -> None:
        path = root / key
        path.unlink(missing_ok=True)
        if data is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    return Place(str(root), None, overwrite)


def s3_place(endpoint: str, prefix: str) -> Place:
    """Take a prefix of the test bucket; credentials come from the environment."""

    def overwrite(key: str, data: bytes | None) -> None:
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        where = {"Bucket": BUCKET, "Key": f"{prefix}/{key}"}
        client.put_object(**where, Body=data) if data is not None else client.delete_object(**where)
        client.close()

    return Place(f"s3://{BUCKET}/{prefix}", endpoint, overwrite)
