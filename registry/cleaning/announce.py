"""A publisher's side of the agreement that keeps a sweep from taking what it relies on.

A publisher and a sweep each write down what they are about to do before they look at what the
other has written, so that at least one of them sees the other:

    publisher                               sweep
    1. announce the digests                 1. write a notice of the digests it will remove
    2. read the notices                     2. read the announcements, then all versions
    3. look which blobs are there           3. remove what neither needs, within the notice's time
    4. commit, withdraw the announcement    4. withdraw the notice

If the sweep reads the announcements after (1) of the publisher, it spares the blobs; where the
announcement is withdrawn by then, the version was committed before, and the sweep reads versions
after announcements. Otherwise the notice was there before the announcement: the publisher sees it,
and waits until it is withdrawn or its time is over before it looks which blobs are there. It then
uploads what was taken. So no version is ever committed that lacks a blob, and no reader needs to
know of sweeps. No clocks are compared: the publisher counts from when it saw the notice, which is
later than when it was written.

All this rests on one property of the store: what was written is seen by who reads or lists later.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from uuid import uuid4

from registry.cleaning.alive import is_dead
from registry.cleaning.records import Announcement, SweepNotice
from registry.errors import StoreError
from registry.layout import PUBLISHING, SWEEPING
from registry.record import read_record, write_record
from registry.store.store import Store

#: Seconds for which an announcement counts: one that is older was left by a process that died.
LASTS = 24 * 3600

#: Seconds after which a publisher announces anew, and looks again which blobs are there.
RENEWED = LASTS / 4

#: Seconds that a request to remove may still be on its way when a notice's time is over.
SLACK = 120

#: Seconds that a request may still be at work whose process was seen to be dead.
AFTERMATH = 10

_PAUSE = 0.2


@contextmanager
def announced(store: Store, digests: Iterable[str]) -> Iterator[None]:
    """Keep sweeps from these blobs; what is seen to be there inside stays there."""
    wanted = frozenset(digests)
    key = f"{PUBLISHING}{uuid4().hex}.json"
    store.create(key, write_record(Announcement(digests=tuple(sorted(wanted)))))
    try:
        _wait_for_sweeps(store, wanted)
        yield
    finally:
        with suppress(StoreError):  # who may not remove leaves it to the next sweep
            store.remove([key])


def _wait_for_sweeps(store: Store, wanted: frozenset[str]) -> None:
    """Wait for the sweeps that were announced before, and are about to take what is wanted.

    One that died on this host has at most a request on its way.
    """
    seen = time.monotonic()
    waiting = {
        key: notice for key, notice in _notices(store) if not wanted.isdisjoint(notice.digests)
    }
    ends = {key: seen + notice.seconds + SLACK for key, notice in waiting.items()}
    while ends:
        time.sleep(_PAUSE)
        now = time.monotonic()
        there = {entry.key for entry in store.entries(SWEEPING)}
        dead = {key for key in ends if (who := waiting[key].writer) and is_dead(who)}
        ends = {
            key: min(end, now + AFTERMATH) if key in dead else end
            for key, end in ends.items()
            if key in there and now < end
        }


def _notices(store: Store) -> Iterator[tuple[str, SweepNotice]]:
    for entry in store.entries(SWEEPING):
        data = store.get(entry.key)
        if data is not None:
            yield entry.key, read_record(data, entry.key, SweepNotice, {})
