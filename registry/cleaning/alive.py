"""Which process wrote a notice, so that another one on the same host can see that it died."""

import os
from contextlib import suppress
from pathlib import Path

from registry.signature import Frozen

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/pid")


class Process(Frozen):
    """A process of a host.

    Attributes:
        place: The host since it was started, and the processes that see each other there: a
            container has its own.
        started: As the kernel counts it: a number may be given to another process later.
    """

    place: str
    number: int
    started: str


def this_process() -> Process | None:
    """Name this process, where the kernel tells; None elsewhere."""
    place = _place()
    started = _started(os.getpid()) if place else None
    return Process(place=place, number=os.getpid(), started=started) if place and started else None


def is_dead(process: Process) -> bool:
    """Say whether a process of this very place has died; nothing is known of other places."""
    return process.place == _place() and _started(process.number) != process.started


def _place() -> str:
    with suppress(OSError):
        return f"{_BOOT.read_text().strip()} {_NAMESPACE.readlink()}"
    return ""


def _started(number: int) -> str | None:
    """Return when a process began; None where there is none, or it has ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        return fields[19] if fields[0] not in {"Z", "X"} else None
    return None
