"""Objects that never change, kept on this host: a cache, to be deleted at any time."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from registry.errors import StoreError
from registry.side_by_side import ahead
from registry.store.store import Entry, Store

#: Earlier releases had a table without days, and never let go of anything.
_TABLE = """
PRAGMA auto_vacuum = FULL;
DROP TABLE IF EXISTS objects;
CREATE TABLE IF NOT EXISTS kept (
    store TEXT, key TEXT, size INTEGER, modified TEXT, data BLOB, day INTEGER,
    PRIMARY KEY (store, key)
) WITHOUT ROWID;
"""
_FIND = "SELECT key, size, modified, data FROM kept WHERE store = ? AND key IN ({})"
_KEEP = "INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?, ?)"
_USE = "UPDATE kept SET day = ? WHERE day < ? AND store = ? AND key IN ({})"
_DROP = "DELETE FROM kept WHERE day < ?"

#: Days for which an object is kept that nobody has asked for.
LASTS = 30

_AT_ONCE, _WIDTH = 500, 16


class Kept:
    """Reads small objects that a listing has shown, each from the store once.

    What is kept counts only while the listing shows the same size and time of writing, so that a
    store that was made anew in the same place is read anew. What nobody has asked for in `LASTS`
    days goes.

    Args:
        path: Of the cache; None keeps nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def read(self, store: Store, entries: Iterable[Entry]) -> dict[str, bytes]:
        """Return the objects by key.

        Raises:
            StoreError: One is gone that the listing has shown.
        """
        wanted = {entry.key: entry for entry in entries}
        with self._database() as database:
            found = dict(_kept(database, store.url, list(wanted.values())))
            missing = [entry for key, entry in wanted.items() if key not in found]
            new = dict(ahead(lambda entry: (entry.key, _get(store, entry.key)), missing, _WIDTH))
            today = int(time.time() // 86_400)
            rows = [(store.url, *_mark(wanted[key]), data, today) for key, data in new.items()]
            with suppress(sqlite3.Error), database:
                _use(database, store.url, list(found), today)
                database.executemany(_KEEP, rows)
                database.execute(_DROP, (today - LASTS,))
        return found | new

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """Open the cache; where it cannot be used, one in memory takes its place."""
        with closing(self._opened()) as database:
            yield database

    def _opened(self) -> sqlite3.Connection:
        if self._path is not None:
            with suppress(OSError, sqlite3.Error):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                database = sqlite3.connect(self._path, timeout=1)
                try:
                    database.executescript(_TABLE)
                except sqlite3.Error:
                    database.close()
                    raise
                return database
        database = sqlite3.connect(":memory:")
        database.executescript(_TABLE)
        return database


def _kept(
    database: sqlite3.Connection, store: str, entries: Sequence[Entry]
) -> Iterator[tuple[str, bytes]]:
    for start in range(0, len(entries), _AT_ONCE):
        some = {entry.key: entry for entry in entries[start : start + _AT_ONCE]}
        marks = ",".join("?" * len(some))
        try:
            rows = database.execute(_FIND.format(marks), (store, *some)).fetchall()
        except sqlite3.Error:
            continue
        for key, size, modified, data in rows:
            if (key, size, modified) == _mark(some[key]) and len(data) == size:
                yield key, data


def _use(database: sqlite3.Connection, store: str, keys: Sequence[str], today: int) -> None:
    """Note that objects were asked for; once a day is enough."""
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        database.execute(_USE.format(marks), (today, today, store, *some))


def _mark(entry: Entry) -> tuple[str, int, str]:
    return entry.key, entry.size, entry.modified.isoformat()


def _get(store: Store, key: str) -> bytes:
    data = store.get(key)
    if data is None:
        raise StoreError(f"{store.url}: {key} is gone. Restore the store from a backup")
    return data
