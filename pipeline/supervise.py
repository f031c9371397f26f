"""Start a stage's process, listen to it, and say in words how it ended."""

import os
import selectors
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, assert_never

from pipeline import resources
from pipeline.events import EVENT, Event, Failed, Finished, Progressed
from pipeline.record import Usage
from pipeline.task import Task
from registry import errors
from registry.errors import PlatformError, WorkerError
from registry.progress import Progress

ROOT = Path(__file__).resolve().parent.parent

#: Seconds between SIGTERM and SIGKILL.
GRACE = 3.0

#: What a signal most likely means, and what to do about it.
SIGNALS: Mapping[int, str] = {
    signal.SIGSEGV: "native code of a framework crashed; try another version of the one that the "
    "log names last",
    signal.SIGBUS: "a mapped file was cut short or its disk is full or failing",
    signal.SIGILL: "this CPU lacks an instruction that a framework was built for",
    signal.SIGFPE: "native code of a framework divided by zero",
    signal.SIGABRT: "native code of a framework gave up; the end of the log says why",
    signal.SIGTERM: "something outside asked it to stop",
    signal.SIGKILL: "something outside killed it; where memory is limited that is most often the "
    "limit",
}

OUT_OF_MEMORY = (
    "the kernel killed it for lack of memory. Run where there is more, or raise the container's "
    "limit"
)


@dataclass(frozen=True)
class Setting:
    """How stages' processes run.

    Attributes:
        python: The interpreter of the toolchain.
        silence: Seconds without an event, a line in the log or CPU time after which a process
            is taken for hung.
        environment: Added to this process's own; see `environment`.
    """

    python: Path = Path(sys.executable)
    silence: float = 900.0
    environment: Mapping[str, str] = field(default_factory=dict)


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


def run_task(task: Task, place: Place, setting: Setting, progress: Progress) -> Usage:
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
        raise _raised(last, task, place)
    if last is None:
        killed = code == -signal.SIGKILL and resources.oom_kills() > kills
        raise WorkerError(_died(task, place, code, OUT_OF_MEMORY if killed else None))
    seconds = time.monotonic() - start
    return Usage(seconds=seconds, cpu=used.ru_utime + used.ru_stime, peak=last.peak)


def command(python: Path, out: str) -> list[str]:
    """Return the call of a worker; `-P` keeps the current folder's files out of its imports."""
    return [str(python), "-P", "-m", "pipeline.worker", out]


def environment(threads: int) -> dict[str, str]:
    """Return what a stage's process finds in its environment where the user set nothing else.

    Args:
        threads: Effective CPUs: frameworks count the host's, also in a container with a limit.
    """
    wanted = {
        "OMP_NUM_THREADS": str(threads),
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "DO_NOT_TRACK": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "TOKENIZERS_PARALLELISM": "false",
        "TF_CPP_MIN_LOG_LEVEL": "2",
    }
    chosen = {name: os.environ.get(name, value) for name, value in wanted.items()}
    if str(ROOT) not in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        paths = (str(ROOT), os.environ.get("PYTHONPATH"))
        chosen["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return chosen


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
        yield Child(process, ours, handle)
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
            ready = {key.fd for key, _ in waiting.select(min(1.0, silence / 4))}
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
                raise WorkerError(_hung(task, place, silence))


def _signs(child: Child, place: Place) -> tuple[int, int]:
    """Return what grows while a process works: its CPU seconds, and its log."""
    line = Path(f"/proc/{child.process.pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(line[11]) + int(line[12])
    return ticks // os.sysconf("SC_CLK_TCK"), place.log.stat().st_size


def _raised(failed: Failed, task: Task, place: Place) -> PlatformError:
    """Return what the stage raised, as it was."""
    kind = getattr(errors, failed.kind, None) if failed.kind else None
    if isinstance(kind, type) and issubclass(kind, PlatformError):
        return kind(failed.message)
    return WorkerError(
        f"{task.name}: {failed.message}\nThis is a fault of the platform or of a tool that it "
        f"uses. The traceback is in {place.log}"
    )


def _died(task: Task, place: Place, code: int, cause: str | None) -> str:
    if code >= 0:
        return (
            f"{task.name}: its process left with code {code} before the stage was done. "
            f"Its log: {place.log}"
        )
    cause = cause or SIGNALS.get(-code, "no cause known")
    name = signal.Signals(-code).name
    return f"{task.name}: its process was ended by {name}: {cause}. Its log: {place.log}"


def _hung(task: Task, place: Place, silence: float) -> str:
    return (
        f"{task.name}: its process gave no sign of life for {silence:.0f} s (no progress, no "
        f"output, no CPU time) and was ended. Its log: {place.log}. Where it only waits, run "
        "with a larger --patience"
    )
