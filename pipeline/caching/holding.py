"""What running runs need of the cache, so that nothing takes it from under them.

<home>/cache.lock                 shared: a run says what it needs; alone: entries are removed
<home>/runs/<model>/<time>/lock   held by the run as long as it lasts
                          needs.json   the entries that its plan names
"""

import fcntl
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NewType

LOCK, NEEDS = "lock", "needs.json"

#: An entry of the cache by its stage and key, wherever the home was when it was written down.
Name = NewType("Name", str)


def name_of(entry: Path) -> Name:
    """Name an entry of the cache by its folder."""
    return Name(f"{entry.parent.name}/{entry.name}")


@contextmanager
def needing(home: Path, run: Path, entries: Iterable[Path]) -> Iterator[None]:
    """Keep entries of the cache, whether made yet or not, for as long as a run lasts.

    Args:
        run: The run's own folder.
    """
    with (run / LOCK).open("ab") as lock:
        with _locked(home, fcntl.LOCK_SH):
            fcntl.flock(lock, fcntl.LOCK_EX)
            (run / NEEDS).write_text(json.dumps([name_of(entry) for entry in entries]))
        yield


@contextmanager
def removing(home: Path) -> Iterator[None]:
    """Let no run begin meanwhile, so that what running runs need can be told."""
    with _locked(home, fcntl.LOCK_EX):
        yield


def is_running(run: Path) -> bool:
    """Say whether a run is under way: whether somebody holds its lock."""
    try:
        with (run / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def needs_of(run: Path) -> frozenset[Name]:
    """Return the entries that a run said to need."""
    try:
        return frozenset(Name(str(name)) for name in json.loads((run / NEEDS).read_bytes()))
    except (OSError, ValueError):
        return frozenset()


@contextmanager
def _locked(home: Path, how: int) -> Iterator[None]:
    home.mkdir(parents=True, exist_ok=True)
    with (home / "cache.lock").open("ab") as lock:
        fcntl.flock(lock, how)
        yield
