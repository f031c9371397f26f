"""Remove the blobs that nothing needs. `registry.cleaning.announce` says why this is safe."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from registry.changes import STALE, notes_of
from registry.cleaning.alive import this_process
from registry.cleaning.announce import LASTS
from registry.cleaning.mark import Marker
from registry.cleaning.records import SweepNotice
from registry.errors import StoreError
from registry.layout import BLOBS, PROBES, PUBLISHING, SWEEPING, blob_key, rows_key
from registry.progress import Progress
from registry.record import write_record
from registry.store.store import Entry, Store

#: Seconds within which a sweep removes what its notice names.
WINDOW = 60.0

#: Blobs that one notice names, and that one request removes.
_NOTICE, _REQUEST = 10_000, 500


@dataclass(frozen=True)
class Garbage:
    """What a store need not keep.

    Attributes:
        blobs: Needed by nothing, and old enough.
        young: Needed by nothing, but younger than the grace period.
        needed: Of versions that are in use, or being published.
    """

    blobs: tuple[Entry, ...]
    young: tuple[Entry, ...]
    needed: tuple[Entry, ...]


@dataclass(frozen=True)
class Swept:
    """What a sweep has removed.

    Attributes:
        spared: Blobs that somebody came to need meanwhile, or that time did not suffice for.
        left_overs: Uploads and announcements that died half-way.
    """

    blobs: int
    bytes: int
    spared: int
    left_overs: int


class Sweeper:
    """Finds and removes garbage.

    Args:
        grace: How long a removed version, and a blob of a push that failed, are kept.
    """

    def __init__(self, store: Store, grace: timedelta) -> None:
        self._store, self._grace = store, grace
        self._marker = Marker(store, grace)

    def find(self) -> Garbage:
        """Look for garbage; writes and removes nothing. How old it is goes by this host's clock."""
        now = datetime.now(UTC)
        needed = self._marker.needed(now)
        kept: list[Entry] = []
        young: list[Entry] = []
        blobs: list[Entry] = []
        for entry in filter(_is_blob, self._store.entries(BLOBS)):
            is_young = now - entry.modified < self._grace
            in_use = _digest(entry) in needed
            (kept if in_use else young if is_young else blobs).append(entry)
        return Garbage(tuple(blobs), tuple(young), tuple(kept))

    def sweep(self, garbage: Garbage, progress: Progress, window: float = WINDOW) -> Swept:
        """Remove garbage, but for what somebody has come to need since it was found."""
        taken: list[Entry] = []
        total = len(garbage.blobs)
        for start in range(0, total, _NOTICE):
            for some in self._remove(garbage.blobs[start : start + _NOTICE], window):
                taken += some
                progress(len(taken), total, "blobs")
        size = sum(entry.size for entry in taken)
        return Swept(len(taken), size, total - len(taken), self._tidy())

    def _remove(self, blobs: Sequence[Entry], window: float) -> Iterator[Sequence[Entry]]:
        end = time.monotonic() + window
        with _noticed(self._store, [_digest(entry) for entry in blobs], window):
            now = now_of(self._store)
            needed = self._marker.needed(now)
            left = [
                entry
                for entry in blobs
                if _digest(entry) not in needed and now - entry.modified >= self._grace
            ]
            for start in range(0, len(left), _REQUEST):
                if time.monotonic() >= end:
                    return
                some = left[start : start + _REQUEST]
                marks = [rows_key(_digest(entry)) for entry in some]
                self._store.remove([*(entry.key for entry in some), *marks])
                yield some

    def _tidy(self) -> int:
        """Remove what processes that died have left, and notes that are of no use."""
        now = now_of(self._store)
        ends = {PUBLISHING: LASTS, SWEEPING: LASTS, PROBES: LASTS}
        left = [
            entry.key
            for prefix, seconds in ends.items()
            for entry in self._store.entries(prefix)
            if now - entry.modified > timedelta(seconds=seconds)
        ]
        notes = [note.key for note in notes_of(self._store) if now - note.modified > STALE]
        self._store.remove([*left, *notes])
        return len(left) + self._store.tidy(now - timedelta(seconds=LASTS))


def now_of(store: Store) -> datetime:
    """Ask a store for its time, by writing to it: another host's clock may be wrong."""
    key = f"{PROBES}{uuid4().hex}"
    store.create(key, b"what time is it?\n")
    try:
        return next(entry.modified for entry in store.entries(PROBES) if entry.key == key)
    except StopIteration as error:
        raise StoreError(
            f"{store.url}: what was written is not in its listing. Sweep only a store whose "
            "listing shows what was written: pipeline registry doctor"
        ) from error
    finally:
        with suppress(StoreError):
            store.remove([key])


@contextmanager
def _noticed(store: Store, digests: Sequence[str], window: float) -> Iterator[None]:
    key = f"{SWEEPING}{uuid4().hex}.json"
    notice = SweepNotice(digests=tuple(digests), seconds=window, writer=this_process())
    store.create(key, write_record(notice))
    try:
        yield
    finally:
        store.remove([key])


def _is_blob(entry: Entry) -> bool:
    """Say whether this is ours: what somebody else has put there is left alone."""
    return len(_digest(entry)) == 64 and entry.key == blob_key(_digest(entry))


def _digest(entry: Entry) -> str:
    return entry.key.rpartition("/")[2]
