"""Create an object unless there is one: what makes concurrent publishing safe."""

import hashlib
import threading
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError

from registry.store.s3_faults import code_of
from registry.store.s3_probe import probe, unsafe
from registry.store.s3_retry import is_broken, retry
from registry.store.s3_upload import Destination

#: Error codes, and the status alone for services that give no code.
TAKEN = frozenset({"PreconditionFailed", "412"})
BUSY = frozenset({"ConditionalRequestConflict", "OperationAborted", "409"})
UNKNOWN = frozenset({"NotImplemented", "501"})

ABSENT = frozenset({"NoSuchKey", "404"})

#: What is written where an endpoint was found to be safe, and how long that is believed.
VERDICT = b"of many writers of one object one wins\n"
LASTS = timedelta(days=1)
_LONG_AGO = "Thu, 01 Jan 1970 00:00:00 GMT"

#: How often AWS may answer that another writer is at it before it says who won.
ATTEMPTS = 8


class Creator:
    """Conditional writes to one endpoint, which is probed before the first."""

    def __init__(self, where: str, root: Destination) -> None:
        self._where = where
        self._root = root
        self._lock = threading.Lock()
        self._is_probed = False

    def create(self, to: Destination, data: bytes) -> bool:
        """Write an object: True for exactly one of many writers."""
        with self._lock:
            if not self._is_probed:
                self._probe()
                self._is_probed = True
        return create(to, data)

    def _probe(self) -> None:
        """Try the endpoint out, unless somebody has lately: the verdict lies in the store."""
        mark = hashlib.sha256(self._where.encode()).hexdigest()[:16]
        verdict = replace(self._root, key=f"{self._root.key}probes/verdict-{mark}")
        if not is_fresh(verdict):
            self._try_out()
            verdict.client.put_object(Bucket=verdict.bucket, Key=verdict.key, Body=VERDICT)

    def _try_out(self) -> None:
        to = replace(self._root, key=f"{self._root.key}probes/{uuid4().hex}")
        try:
            probe(self._where, lambda data: create(to, data), lambda: read(to))
        except ClientError as error:
            if code_of(error) in UNKNOWN:
                raise unsafe(self._where, "it answers 'not implemented'") from error
            raise
        finally:
            with suppress(ClientError, BotoCoreError):  # a store may refuse to delete anything
                to.client.delete_object(Bucket=to.bucket, Key=to.key)


def is_fresh(verdict: Destination) -> bool:
    """Say whether an endpoint was found to be safe, and not long ago by its own clock."""
    try:
        said, written, now = get(verdict)
    except ClientError as error:
        if code_of(error) in ABSENT:
            return False
        raise
    return said == VERDICT and timedelta(0) <= now - written < LASTS


def create(to: Destination, data: bytes) -> bool:
    """Put an object on the condition that there is none."""

    def put() -> bool:
        to.client.put_object(Bucket=to.bucket, Key=to.key, Body=data, IfNoneMatch="*")
        return True

    try:
        return retry(put, lambda error: _code(error) in BUSY, ATTEMPTS)
    except ClientError as error:
        if code_of(error) not in TAKEN:
            raise
        # The answer to an attempt that had succeeded may have been lost on its way.
        was_retried = error.response["ResponseMetadata"].get("RetryAttempts", 0) > 0
        return was_retried and read(to) == data


def read(to: Destination) -> bytes:
    """Get an object."""
    return get(to)[0]


def get(to: Destination) -> tuple[bytes, datetime, datetime]:
    """Get an object, when it was written, and when that was asked, both by the service's clock."""

    def fetch() -> tuple[bytes, datetime, datetime]:
        answer = to.client.get_object(Bucket=to.bucket, Key=to.key)
        with closing(answer["Body"]) as body:
            data = body.read()
        now = answer["ResponseMetadata"]["HTTPHeaders"].get("date", _LONG_AGO)
        return data, answer["LastModified"], parsedate_to_datetime(now)

    return retry(fetch, is_broken, ATTEMPTS)


def _code(error: Exception) -> str:
    return code_of(error) if isinstance(error, ClientError) else ""
