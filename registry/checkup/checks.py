"""The checks of a store. Each goes through what publishing itself goes through."""

import hashlib
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from registry.checkup.finding import Check, Outcome
from registry.digest import digest_file, ignore
from registry.store.store import Store

WRITERS, ROUNDS = 8, 4

#: Bytes of a blob that goes in one request, and of one that goes in parts.
_SMALL, _LARGE = 100_000, (8 << 20) + 100_000

#: Seconds that the store's clock may be off without anybody noticing.
_SKEW = 300


def create_twice(store: Store, prefix: str) -> Outcome:
    """Create an object, then again with other bytes."""
    key = f"{prefix}twice"
    first, second = store.create(key, b"first"), store.create(key, b"second")
    kept = store.get(key)
    passed = (first, second, kept) == (True, False, b"first")
    return Outcome(passed, "the first stays" if passed else f"the store then holds {kept!r:.40}")


def create_in_a_race(store: Store, prefix: str) -> Outcome:
    """Let some writers create one object at once, a few times."""
    wins = []
    with ThreadPoolExecutor(WRITERS) as pool:
        for turn in range(ROUNDS):
            key = f"{prefix}race-{turn}"
            won = list(pool.map(lambda n, key=key: store.create(key, b"%d" % n), range(WRITERS)))
            kept = store.get(key)
            wins.append(sum(won) if kept == b"%d" % won.index(True) else 0)
    seen = f"of {WRITERS} writers, {ROUNDS} times: {', '.join(map(str, wins))} won"
    return Outcome(set(wins) == {1}, seen)


def keep_a_blob(store: Store, prefix: str) -> Outcome:
    """Bring a blob in one request, and read it back."""
    return _round_trip(store, f"{prefix}small", _SMALL)


def keep_parts(store: Store, prefix: str) -> Outcome:
    """Bring a blob that goes in parts, and read it back in ranges."""
    return _round_trip(store, f"{prefix}large", _LARGE)


def list_at_once(store: Store, prefix: str) -> Outcome:
    """Look for objects in a listing right after they were written."""
    keys = {f"{prefix}listed/{number}" for number in range(12)}
    for key in keys:
        store.create(key, b".")
    found = {entry.key for entry in store.entries(f"{prefix}listed/")}
    return Outcome(found == keys, f"{len(found & keys)} of {len(keys)} are listed at once")


def tell_the_time(store: Store, prefix: str) -> Outcome:
    """Compare the store's clock with this host's."""
    store.create(f"{prefix}clock/now", b".")
    entry = next(iter(store.entries(f"{prefix}clock/")), None)
    if entry is None:
        return Outcome(None, "the listing shows nothing")
    off = abs((datetime.now(UTC) - entry.modified).total_seconds())
    return Outcome(off <= _SKEW, "as this host's" if off <= _SKEW else f"{off:.0f} s off")


def take_away(store: Store, prefix: str) -> Outcome:
    """Remove an object."""
    key = f"{prefix}gone"
    store.create(key, b".")
    store.remove([key])
    passed = store.get(key) is None
    return Outcome(passed, "removed" if passed else "it is still there")


def _round_trip(store: Store, key: str, size: int) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "blob"
        path.write_bytes(os.urandom(size))
        file = digest_file(path)
        store.upload(key, path, file, ignore)
    sha256 = hashlib.sha256()
    for chunk in store.read(key):
        sha256.update(chunk)
    passed = sha256.hexdigest() == file.digest
    return Outcome(passed, f"{size} bytes came back {'the same' if passed else 'as others'}")


_RACE = (
    "Two publishers could overwrite each other's version. Publishing is refused there unless the "
    "URL says ?single_writer=true, and then there must never be two at once"
)
_BYTES = "Versions that are published there cannot be read back. Take another service"

CHECKS: tuple[Check, ...] = (
    Check("create once", create_twice, _RACE),
    Check("create in a race", create_in_a_race, _RACE),
    Check("keep a blob", keep_a_blob, _BYTES),
    Check("keep a blob in parts", keep_parts, _BYTES),
    Check(
        "list at once",
        list_at_once,
        "Readers see versions late, and `gc` is not safe: do not use it there",
    ),
    Check(
        "remove",
        take_away,
        "`gc` cannot free anything, and publishers leave small files behind",
        needed=False,
    ),
    Check(
        "clock",
        tell_the_time,
        "Requests may be refused as too old or too new. Set this host's clock",
        needed=False,
    ),
)
