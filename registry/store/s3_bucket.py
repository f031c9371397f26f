"""A bucket of an S3-compatible service, as a store."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path

from botocore.exceptions import ClientError

from registry.digest import Advance
from registry.disk import disk_faults
from registry.errors import StoreError
from registry.manifest import File
from registry.side_by_side import ahead
from registry.store.s3_client import connect
from registry.store.s3_create import Creator
from registry.store.s3_faults import code_of, s3_faults
from registry.store.s3_place import Place
from registry.store.s3_retry import is_broken, retry
from registry.store.s3_sweep import abort_uploads, delete_objects, list_objects
from registry.store.s3_upload import PART, Destination, send
from registry.store.store import (
    Entry,
    Wanted,
    check_key,
    check_prefix,
    check_size,
    every_key,
    missing,
)

_ABSENT = frozenset({"NoSuchKey", "404"})


class S3Bucket:
    """Objects below a prefix of a bucket."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.url = str(place)
        self.reads_back = place.options.compare == "all"
        self._client = connect(place)
        self._root = Destination(self._client, place.bucket, place.prefix)
        self._creator = Creator(self.url, self._root)

    def get(self, key: str) -> bytes | None:
        """Get an object, bounded."""
        with s3_faults(self.place, key):
            try:
                return self._fetch(key)
            except ClientError as error:
                if code_of(error) in _ABSENT:
                    return None
                raise

    def create(self, key: str, data: bytes) -> bool:
        """Put an object on the condition that there is none, where that is known to work."""
        to = self._at(key)
        if self.place.options.single_writer and self.size(key) is not None:
            return False
        with s3_faults(self.place, key):
            if not self.place.options.single_writer:
                return self._creator.create(to, data)
            self._client.put_object(Bucket=to.bucket, Key=to.key, Body=data)
        return True

    def upload(self, key: str, path: Path, file: File, advance: Advance) -> None:
        """Put an object unless it is there."""
        if self.size(key) == file.size:
            advance(file.size)
        else:
            self.replace(key, path, file, advance)

    def replace(self, key: str, path: Path, file: File, advance: Advance) -> None:
        """Put an object, in parts where it is large, and ask for its size."""
        with disk_faults(path), path.open("rb", buffering=0) as source, s3_faults(self.place, key):
            send(self._at(key), source, file, advance)
        if (kept := self.size(key)) != file.size:
            raise StoreError(
                f"{self.place}, {key}: the service keeps {kept} bytes of the {file.size} that it "
                "was sent. Take another service, or a newer version of it"
            )

    def read(self, key: str, start: int = 0) -> Iterator[bytes]:
        """Get an object, from a byte on, in ranges, a few of them ahead."""
        size = self.size(key)
        if size is None:
            raise missing(f"{self.place}, {key}")
        ranges = [f"bytes={first}-{first + PART - 1}" for first in range(start, size, PART)]
        with s3_faults(self.place, key):
            yield from ahead(lambda span: self._fetch(key, span), ranges)

    def size(self, key: str) -> int | None:
        """Ask for an object's size."""
        to = self._at(key)
        with s3_faults(self.place, key):
            try:
                return self._client.head_object(Bucket=to.bucket, Key=to.key)["ContentLength"]
            except ClientError as error:
                if code_of(error) in _ABSENT:
                    return None
                raise

    def stamp(self, key: str) -> str | None:
        """Tell what is another as soon as the object is; nothing where there is none."""
        to = self._at(key)
        with s3_faults(self.place, key):
            try:
                head = self._client.head_object(Bucket=to.bucket, Key=to.key)
            except ClientError as error:
                if code_of(error) in _ABSENT:
                    return None
                raise
        return f"{head['ETag']} {head['ContentLength']} {head['LastModified'].isoformat()}"

    def is_there(self) -> bool:
        """Say yes: a bucket that is not there is an error of every request."""
        return True

    def check_access(self) -> None:
        """List a little: whether a key may be written is known when one is."""
        with s3_faults(self.place, ""):
            self._client.list_objects_v2(
                Bucket=self.place.bucket, Prefix=self.place.prefix, MaxKeys=1
            )

    def children(self, prefix: str) -> tuple[str, ...]:
        """List one level."""
        start = f"{self.place.prefix}{check_prefix(prefix)}"
        found: list[str] = []
        with s3_faults(self.place, prefix):
            pages = self._client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.place.bucket, Prefix=start, Delimiter="/"):
                found += [item["Key"] for item in page.get("Contents", ())]
                found += [item["Prefix"] for item in page.get("CommonPrefixes", ())]
        names = {name.removeprefix(start).rstrip("/") for name in found}
        return tuple(sorted(names - {""}))

    def entries(self, prefix: str, wanted: Wanted = every_key) -> Iterator[Entry]:
        """List all levels."""
        with s3_faults(self.place, prefix):
            for entry in list_objects(self._root, check_prefix(prefix)):
                if wanted(entry.key):
                    yield entry

    def remove(self, keys: Sequence[str]) -> None:
        """Delete objects, many in one request."""
        with s3_faults(self.place, keys[0] if keys else ""):
            delete_objects(self._client, self.place.bucket, [self._at(key).key for key in keys])

    def tidy(self, before: datetime) -> int:
        """Abort uploads in parts that were begun before a time."""
        with s3_faults(self.place):
            return abort_uploads(self._root, before)

    def _at(self, key: str) -> Destination:
        return Destination(self._client, self.place.bucket, self.place.prefix + check_key(key))

    def _fetch(self, key: str, span: str = "") -> bytes:
        """Get a range of an object; again where the connection breaks half-way."""
        to = self._at(key)

        def fetch() -> bytes:
            get = partial(to.client.get_object, Bucket=to.bucket, Key=to.key)
            answer = get(Range=span) if span else get()
            check_size(f"{self.place}, {key}", answer["ContentLength"])
            with closing(answer["Body"]) as body:
                return body.read()

        return retry(fetch, is_broken, self.place.options.attempts)
