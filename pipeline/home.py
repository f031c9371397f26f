"""Where outputs and runs are kept."""

import errno
import os
from pathlib import Path

from registry.disk import FULL, remedy_of
from registry.errors import ResourceError

#: What to take where the one that was named is of no use.
_ELSE = {True: "on a bigger disk", False: "that you may write"}


def whole(home: Path) -> Path:
    """Return the whole path, links followed.

    Raises:
        ResourceError: Links lead round in a circle.
    """
    try:
        return home.resolve()
    except (OSError, RuntimeError) as error:  # before Python 3.13 it is a RuntimeError
        raise unwritable(home, OSError(errno.ELOOP, os.strerror(errno.ELOOP))) from error


def open_home(home: Path) -> Path:
    """Make the folder where it is not there, and return its whole path.

    Raises:
        ResourceError: It cannot be made, or not be written.
    """
    found = whole(home)
    try:
        found.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(found, error) from error
    if not os.access(found, os.W_OK | os.X_OK):
        is_locked = os.statvfs(found).f_flag & os.ST_RDONLY
        number = errno.EROFS if is_locked else errno.EACCES
        raise unwritable(found, OSError(number, os.strerror(number), str(found)))
    return found


def unwritable(home: Path, error: OSError) -> ResourceError:
    """Say why nothing can be kept there, and what mends it."""
    is_full = error.errno in FULL
    remedy = "Free some space" if is_full else remedy_of(error)
    return ResourceError(
        f"{error.filename or home}: cannot be written: {error.strerror}. {remedy}, or set "
        f"PIPELINE_HOME to a folder {_ELSE[is_full]}, and run again: finished stages are kept"
    )
