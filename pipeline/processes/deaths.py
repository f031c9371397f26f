"""How a stage's process ended, in words: what it means and what to do about it."""

import signal
from collections.abc import Mapping
from pathlib import Path

from pipeline.processes.events import Failed
from pipeline.processes.task import Task
from registry import errors
from registry.errors import PlatformError, WorkerError

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

OUT_OF_MEMORY = "memory ran out; run where there is more, or raise the container's limit"


def raised(failed: Failed, task: Task, log: Path) -> PlatformError:
    """Return what the stage raised, as it was."""
    kind = getattr(errors, failed.kind, None) if failed.kind else None
    if isinstance(kind, type) and issubclass(kind, PlatformError):
        return kind(failed.message)
    return WorkerError(
        f"{task.name}: {failed.message}\nThis is a fault of the platform or of a tool that it "
        f"uses. The traceback is in {log}"
    )


def died(task: Task, log: Path, code: int, *, for_memory: bool) -> WorkerError:
    """Say how a process ended that said nothing itself.

    Args:
        code: Of the exit, or minus the signal.
        for_memory: The kernel killed a process for lack of memory meanwhile.
    """
    if code >= 0:
        end = f"left with code {code} before the stage was done"
    elif for_memory:
        end = f"was ended by the kernel: {OUT_OF_MEMORY}"
    else:
        name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
        end = f"was ended by {name}: {SIGNALS.get(-code, 'no cause is known')}"
    return WorkerError(f"{task.name}: its process {end}. Its log: {log}")


def hung(task: Task, log: Path, silence: float) -> WorkerError:
    """Say that a process gave no sign of life."""
    return WorkerError(
        f"{task.name}: its process gave no sign of life for {silence:.0f} s (no progress, no "
        f"output, no CPU time) and was ended. Its log: {log}. Where it only waits, run "
        "with a larger --patience"
    )
