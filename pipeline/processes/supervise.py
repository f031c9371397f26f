"""Start a stage's process, listen to it, and leave nothing of it behind."""

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, assert_never

from pipeline.processes import resources
from pipeline.processes.deaths import died, hung, raised
from pipeline.processes.events import EVENT, Event, Failed, Finished, Progressed
from pipeline.processes.memory import Peak
from pipeline.processes.setting import Setting, command
from pipeline.processes.task import Task
from pipeline.record import Usage
from registry.composition import Remark
from registry.manifest import File
from registry.progress import Progress

#: Seconds between SIGTERM and SIGKILL.
GRACE = 3.0

#: Seconds between two looks at the process at most.
LOOK = 0.05


@dataclass(frozen=True)
class Place:
    """Where a stage writes: its output folder, and its log."""

    out: Path
    log: Path


@dataclass(frozen=True)
class Child:
    """A running process: `events` is this end of its pipe, `handle` readable once it ended."""

    process: subprocess.Popen[bytes]
    events: int
    handle: int
    peak: Peak


@dataclass(frozen=True)
class Done:
    """What a task took, and the digests of those files that it hashed while it wrote them.

    Attributes:
        remarks: What tools warned of.
    """

    usage: Usage
    files: Mapping[str, File]
    remarks: tuple[Remark, ...]


def run_task(task: Task, place: Place, setting: Setting, progress: Progress) -> Done:
    """Do a task in a process of its own.

    Raises:
        PlatformError: What the stage raised, as the same class with the same message.
        WorkerError: The process crashed, hung, or raised anything else.
    """
    kills, start = resources.oom_kills(), time.monotonic()
    with _started(task, place, setting) as child:
        last = _follow(child, task, place, setting.silence, progress)
        _end_group(child.process.pid)
        _, status, used = os.wait4(child.process.pid, 0)
        child.process.returncode = code = os.waitstatus_to_exitcode(status)
    if isinstance(last, Failed):
        raise raised(last, task, place.log)
    if last is None:
        for_memory = code == -signal.SIGKILL and resources.oom_kills() > kills
        raise died(task, place.log, code, for_memory=for_memory)
    seconds = time.monotonic() - start
    usage = Usage(
        seconds=seconds,
        cpu=used.ru_utime + used.ru_stime,
        peak=child.peak.with_end(last.peak, last.mapped),
        resident=last.peak,
    )
    return Done(usage, last.files, last.remarks)


@contextmanager
def _started(task: Task, place: Place, setting: Setting) -> Iterator[Child]:
    """Start the process in a group of its own, and leave none of the group behind."""
    ours, theirs = os.pipe()
    place.log.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile() as stdin, place.log.open("ab") as log:
        stdin.write(task.model_dump_json().encode())
        stdin.seek(0)
        process = _popen(place, setting, theirs, (stdin, log))
    os.close(theirs)
    handle = os.pidfd_open(process.pid)
    try:
        yield Child(process, ours, handle, Peak(process.pid))
    finally:
        if process.returncode is None:
            _stop(process, handle)
        os.close(handle)
        os.close(ours)


def _popen(
    place: Place, setting: Setting, events: int, files: tuple[IO[bytes], IO[bytes]]
) -> subprocess.Popen[bytes]:
    stdin, log = files
    return subprocess.Popen(  # noqa: S603  our own interpreter and module
        [*command(setting.python, str(place.out)), str(events), str(os.getpid())],
        stdin=stdin,
        stdout=log,
        stderr=log,
        pass_fds=(events,),
        process_group=0,
        env={**os.environ, **setting.environment},
    )


def _stop(process: subprocess.Popen[bytes], handle: int) -> None:
    """Ask the group to stop, then make it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with selectors.DefaultSelector() as waiting:
        waiting.register(handle, selectors.EVENT_READ)
        waiting.select(GRACE)
    _end_group(process.pid)
    process.wait()


def _end_group(group: int) -> None:
    """Kill what the stage started; its own process may be a zombie, which holds the number."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _follow(
    child: Child, task: Task, place: Place, silence: float, progress: Progress
) -> Finished | Failed | None:
    """Pass progress on until the process has ended; None where it left no last word."""
    last: Finished | Failed | None = None
    for event in _events(child, task, place, silence):
        match event:
            case Progressed():
                progress(event.done, event.total, event.unit)
            case Finished() | Failed():
                last = event
            case _:
                assert_never(event)
    return last


def _events(child: Child, task: Task, place: Place, silence: float) -> Iterator[Event]:
    """Yield events until the process has ended, or has given no sign of life for too long."""
    buffer, sign, alive = b"", _signs(child, place), time.monotonic()
    with selectors.DefaultSelector() as waiting:
        waiting.register(child.events, selectors.EVENT_READ)
        waiting.register(child.handle, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in waiting.select(min(LOOK, silence / 4))}
            child.peak.look()
            if child.events in ready:
                chunk = os.read(child.events, 1 << 16)
                if not chunk:
                    waiting.unregister(child.events)
                *lines, buffer = (buffer + chunk).split(b"\n")
                yield from map(EVENT.validate_json, lines)
                alive = time.monotonic()
            elif child.handle in ready:
                return
            elif (now := _signs(child, place)) != sign:
                sign, alive = now, time.monotonic()
            elif time.monotonic() - alive > silence:
                raise hung(task, place.log, silence)


def _signs(child: Child, place: Place) -> tuple[int, int]:
    """Return what grows while a process works: its CPU seconds, and its log."""
    line = Path(f"/proc/{child.process.pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(line[11]) + int(line[12])
    return ticks // os.sysconf("SC_CLK_TCK"), place.log.stat().st_size
