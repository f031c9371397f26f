"""Send a file to a bucket, in one piece or in many, and only if it is what it is said to be."""

import hashlib
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from registry.digest import Advance
from registry.manifest import File
from registry.side_by_side import ahead
from registry.store.store import changed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

#: Bytes of a part; S3 takes at least 5 MiB, and at most 10,000 parts.
PART = 8 << 20
MOST_PARTS = 9000


@dataclass(frozen=True)
class Destination:
    """An object that is to be."""

    client: "S3Client"
    bucket: str
    key: str


def send(to: Destination, source: FileIO, file: File, advance: Advance) -> None:
    """Send a file; the object appears when all of it is there and its digest is right.

    Raises:
        IntegrityError: The file is not, or no longer, `file`.
    """
    if file.size <= PART:
        data = b"".join(_pieces(source, PART, file))
        to.client.put_object(Bucket=to.bucket, Key=to.key, Body=data)
        advance(file.size)
        return
    begun = to.client.create_multipart_upload(Bucket=to.bucket, Key=to.key)
    try:
        _send_parts(to, begun["UploadId"], _pieces(source, _part_size(file), file), advance)
    except BaseException:
        with suppress(ClientError, BotoCoreError):  # what went wrong before matters more
            to.client.abort_multipart_upload(
                Bucket=to.bucket, Key=to.key, UploadId=begun["UploadId"]
            )
        raise


def _send_parts(to: Destination, upload: str, pieces: Iterator[bytes], advance: Advance) -> None:
    def send_part(numbered: tuple[int, bytes]) -> "CompletedPartTypeDef":
        number, data = numbered
        answer = to.client.upload_part(
            Bucket=to.bucket, Key=to.key, UploadId=upload, PartNumber=number, Body=data
        )
        advance(len(data))
        return {"ETag": answer["ETag"], "PartNumber": number}

    parts = list(ahead(send_part, enumerate(pieces, start=1)))
    to.client.complete_multipart_upload(
        Bucket=to.bucket, Key=to.key, UploadId=upload, MultipartUpload={"Parts": parts}
    )


def _pieces(source: FileIO, size: int, file: File) -> Iterator[bytes]:
    """Read a file piece by piece; refuse it at its end if it is not what it is said to be."""
    sha256 = hashlib.sha256()
    while piece := _read(source, size):
        sha256.update(piece)
        yield piece
    if sha256.hexdigest() != file.digest:
        raise changed(str(source.name), file, sha256.hexdigest())


def _read(source: FileIO, size: int) -> bytes:
    """Read a piece; a raw file may give less than there is."""
    pieces, rest = [], size
    while rest and (piece := source.read(rest)):
        pieces.append(piece)
        rest -= len(piece)
    return b"".join(pieces)


def _part_size(file: File) -> int:
    return max(PART, math.ceil(file.size / MOST_PARTS))
