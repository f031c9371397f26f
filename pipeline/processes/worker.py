"""A stage's own process: `python -m pipeline.processes.worker OUT [EVENTS PARENT] < task.json`.

What the stage and its frameworks print goes where stdout and stderr go; events go to the file
descriptor EVENTS. Without one the process can be started by hand, as `reproduce.sh` does.
"""

import ctypes
import errno
import faulthandler
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from pipeline.processes.events import Event, Failed, Finished, Progressed
from pipeline.processes.memory import memory_of
from pipeline.processes.task import Task
from registry import errors
from registry.disk import FULL
from registry.errors import PlatformError, ResourceError, WorkerError
from registry.progress import Progress
from registry.remarks import hearing

Send = Callable[[Event], None]

_PR_SET_PDEATHSIG = 1
_INTERVAL = 0.1

#: How the C library, C++, and the allocators of torch and ONNX Runtime say it.
_NO_MEMORY = (
    os.strerror(errno.ENOMEM),
    "bad_alloc",
    "bad allocation",
    "can't allocate memory",
    "Failed to allocate memory",
)

#: How the loader of libraries says it, and no more; where it may not map one it adds why.
_NO_MEMORY_TO_LOAD = "failed to map segment from shared object"


def main(arguments: list[str]) -> int:
    """Do the task and return the exit code."""
    faulthandler.enable()
    out = Path(arguments[0])
    send: Send = _say_nothing
    if len(arguments) == 3:
        die_with(parent=int(arguments[2]))
        send = sender(int(arguments[1]))
    return perform(Task.model_validate_json(sys.stdin.read()), out, send)


def perform(task: Task, out: Path, send: Send) -> int:
    """Run the stage, and say how it ended."""
    try:
        run = import_module(module_of(task.stage)).run
        out.mkdir(parents=True, exist_ok=True)
        with hearing() as remarks:
            files = run(task, out, throttled(send)) or {}
    except Exception as error:  # noqa: BLE001  handed to the run, with its traceback in the log
        with suppress(OSError):  # the log may lie on the disk that is full
            traceback.print_exc()
        failure = explain(error, task, out)
        send(Failed(kind=_kind(failure), message=str(failure), peak=peak_memory()))
        return failure.exit_code if isinstance(failure, PlatformError) else 1
    held = memory_of("self")
    mapped = held.mapped if held else 0
    send(Finished(peak=peak_memory(), mapped=mapped, files=files, remarks=tuple(remarks)))
    return 0


def module_of(stage: str) -> str:
    """Return the module of a stage: of this package, or, with a dot in it, any."""
    return stage if "." in stage else f"pipeline.stages.{stage}"


def explain(error: Exception, task: Task, out: Path) -> Exception:
    """Put a full disk and a lack of memory in words, also where a framework wrapped them."""
    if isinstance(error, ResourceError):
        return error
    if any(map(_is_full_disk, _causes(error))):
        return ResourceError(
            f"{task.name}: the disk that holds {out} is full, or a limit on files is reached. Free "
            "some space, or set PIPELINE_HOME to a folder on a bigger disk, and run again"
        )
    if cause := next(filter(_is_lack_of_memory, _causes(error)), None):
        return WorkerError(
            f"{task.name}: ran out of memory, having taken {peak_memory() / 2**20:.0f} MiB at "
            f"most ({_last_line(cause).splitlines()[0]}). Run where there is more, or raise the "
            "limit of the container or of the shell (ulimit -v)"
        )
    if isinstance(error, PlatformError):
        return error
    return RuntimeError(_last_line(error))


def _kind(error: Exception) -> str | None:
    names = (kind.__name__ for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
    return next(names, None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_full_disk(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in FULL:
        return True
    return any(os.strerror(number) in str(error) for number in FULL)


def _is_lack_of_memory(error: BaseException) -> bool:
    said = str(error)
    told = said.endswith(_NO_MEMORY_TO_LOAD) or any(sign in said for sign in _NO_MEMORY)
    return isinstance(error, MemoryError) or told


def _last_line(error: BaseException) -> str:
    """Return the error as the last line of its traceback has it."""
    return traceback.format_exception_only(error)[-1].strip()


def sender(descriptor: int) -> Send:
    """Return what writes events to a pipe that no process of the stage's own inherits."""
    os.set_inheritable(descriptor, False)  # noqa: FBT003  the standard library's signature

    def send(event: Event) -> None:
        os.write(descriptor, event.model_dump_json().encode() + b"\n")

    return send


def throttled(send: Send) -> Progress:
    """Pass progress on ten times a second, and always its end."""
    last = 0.0

    def progress(done: float, total: float, unit: str) -> None:
        nonlocal last
        now = time.monotonic()
        if done >= total or now - last >= _INTERVAL:
            last = now
            send(Progressed(done=done, total=total, unit=unit))

    return progress


def peak_memory() -> int:
    """Return the most resident memory that this process held, in bytes.

    Not `ru_maxrss`: that starts at the size of the process which started this one.
    """
    held = memory_of("self")
    return held.highest if held else 0


def die_with(*, parent: int) -> None:
    """Have the kernel end this process when the run that started it ends, however it does."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _say_nothing(event: Event) -> None:
    pass


if __name__ == "__main__":
    code = main(sys.argv[1:])
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    # Native libraries crash in their own tear-down, when all work is done: leave without it.
    os._exit(code)
