"""Which pulled versions stay on this host: those in use, and one to go back to.

<cache>/versions/<model>/<version>/       the version's files
                         <version>.lock   held by all that use them; its time is their last use
"""

import fcntl
import logging
import os
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from registry.lock_file import take_lock

log = logging.getLogger(__name__)


class Hold:
    """Keeps a version's folder, whether it is there yet or not, until it is released.

    Where this host's folder cannot be written there is nothing to hold: nothing is removed.
    """

    def __init__(self, folder: Path) -> None:
        self._path = _lock_of(folder)
        self._lock: BinaryIO | None = None
        with suppress(OSError):
            folder.parent.mkdir(parents=True, exist_ok=True)
            self._lock = take_lock(self._path, fcntl.LOCK_SH)
            os.utime(self._path)

    def release(self) -> None:
        """Let go of it; the second time does nothing."""
        if self._lock is not None:
            with suppress(OSError):
                os.utime(self._path)
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def tidy(folder: Path, *, stays: str = "") -> tuple[str, ...]:
    """Remove a model's versions that nothing uses, but for the last used; return their names.

    Args:
        folder: Where the model's versions are.
        stays: Name of one that stays beside that.
    """
    others = [path for path in folder.glob("*") if path.is_dir() and path.name != stays]
    idle = [path for path in sorted(others, key=_last_use) if not _is_held(path)]
    gone = [path for path in idle[:-1] if _remove(path)]
    for path in gone:
        log.info("%s is not used any more, and was removed from this host", path)
    return tuple(path.name for path in gone)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _last_use(folder: Path) -> int:
    for path in (_lock_of(folder), folder):
        with suppress(OSError):
            return path.stat().st_mtime_ns
    return 0


def _is_held(folder: Path) -> bool:
    try:
        with _lock_of(folder).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _remove(folder: Path) -> bool:
    """Remove a version, unless somebody came to use it meanwhile."""
    path = _lock_of(folder)
    try:
        lock = take_lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock is None:
            return False
        with lock:
            shutil.rmtree(folder)
            path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s is not used any more, and cannot be removed: %s", folder, error)
        return False
    return True
