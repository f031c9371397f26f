"""Notes of the models that are about to change, for who keeps an index of a store.

    who changes a model                     who looks at all models
    1. note which                           1. list the notes
    2. commit, move, remove                 2. read the newest index
                                            3. list the models that a note names, and no others

A note stands before the change does, so that whoever sees the change in a listing could see the
note. An index counts only changes in whose notes are old enough to be over, and who has made it
removes those; the notes are listed before the index is read, so that a note that is gone by then
is in that index. What breaks this (a process that slept between its note and its change for as
long as that, another program that writes there) is mended when the index has lasted a day.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from registry.layout import CHANGES
from registry.store.store import Entry, Store

#: How old a note is when its change is over: hosts' clocks may differ by less than that.
SETTLED = timedelta(hours=1)

#: How old a note is when no index that does without it is believed any more.
STALE = timedelta(days=2)


@contextmanager
def noted(store: Store, model: str) -> Iterator[None]:
    """Change a model inside; a change that took long is noted once more."""
    _note(store, model)
    start = time.monotonic()
    yield
    if time.monotonic() - start > SETTLED.total_seconds() / 2:
        _note(store, model)


def notes_of(store: Store) -> tuple[Entry, ...]:
    """Return all notes."""
    return tuple(entry for entry in store.entries(CHANGES) if entry.key.count("/") == 2)


def model_of(note: Entry) -> str:
    """Return the model that a note names."""
    return note.key.split("/")[1]


def is_over(note: Entry) -> bool:
    """Say whether a note is so old that what it tells of has happened."""
    return datetime.now(UTC) - note.modified > SETTLED


def is_stale(note: Entry) -> bool:
    """Say whether a note is of no more use to anybody."""
    return datetime.now(UTC) - note.modified > STALE


def _note(store: Store, model: str) -> None:
    store.create(f"{CHANGES}{model}/{uuid4().hex}", b"a change\n")
