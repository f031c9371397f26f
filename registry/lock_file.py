"""Locks between processes: files that may be removed by who holds them."""

import fcntl
import os
from pathlib import Path
from typing import BinaryIO


def take_lock(path: Path, how: int) -> BinaryIO | None:
    """Lock a file, which is made if it is not there; closing it lets go.

    Args:
        how: As for flock(2): `LOCK_SH` or `LOCK_EX`, with `LOCK_NB` not to wait.

    Returns:
        None where another process holds it and `LOCK_NB` was given.
    """
    while True:
        file = path.open("ab", buffering=0)
        try:
            fcntl.flock(file, how)
            if _is_still_there(file, path):
                return file
        except BlockingIOError:
            file.close()
            return None
        except BaseException:
            file.close()
            raise
        file.close()


def _is_still_there(file: BinaryIO, path: Path) -> bool:
    """Say whether a path still leads to an open file, and not to one in its place or nowhere."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
