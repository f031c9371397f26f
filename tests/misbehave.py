"""A stage that does what its options say: well, or in one of the ways in which stages go wrong."""

import ctypes
import mmap
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

from converters.quiet import quiet
from pipeline.processes.task import Task
from registry.errors import ConversionError, PlatformError
from registry.manifest import File
from registry.progress import Progress
from registry.signature import Frozen


class Ways(Frozen):
    """Options of the stage."""

    do: str = "write"
    steps: int = 3
    pause: float = 0.0
    bytes: int = 0
    file: str = ""


class OwnError(ConversionError):
    """A kind that the run does not know."""


def write(task: Task, out: Path, progress: Progress) -> None:
    """Write a file, from the files of the inputs, in steps that take a moment each."""
    came = [(folder / "text").read_text() for _, folder in sorted(task.inputs.items())]
    steps = int(task.options.get("steps", 3))
    for step in range(steps):
        progress(step + 1, steps, "steps")
        time.sleep(float(task.options.get("pause", 0)))
    (out / "text").write_text(f"{task.name}({','.join(came)})")


def segfault(task, out, progress):
    ctypes.string_at(0)


def abort(task, out, progress):
    os.abort()


def leave(task, out, progress):
    sys.exit(3)


def leave_at_once(task, out, progress):
    os._exit(0)


def hang(task, out, progress):
    progress(1, 2, "steps")
    time.sleep(600)


def allocate(task, out, progress):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    bytearray(1 << 40)


def import_with_little_memory(task, out, progress):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (64 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    import torch  # noqa: F401, PLC0415


def hold(task, out, progress):
    held = bytearray(int(task.options["bytes"]))
    held[:: 1 << 12] = b"x" * len(held[:: 1 << 12])


def read_mapped(task, out, progress):
    with Path(task.options["file"]).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert not any(mapped[:: 1 << 12])
    read_mapped.kept = mapped  # so that it is there when the process tells of itself at its end


def chatter(task, out, progress):
    os.write(1, b'{"event": "finished"}\n\xff\x00garbage\n')
    os.write(2, b"a warning that nobody asked for\n")
    write(task, out, progress)


def warn(task, out, progress):
    with quiet("tool"):
        warnings.warn("the weights were halved", stacklevel=1)
        warnings.warn("Skip this: constant folding", stacklevel=1)
    with quiet("tool"):
        warnings.warn("the weights were halved", stacklevel=1)
    write(task, out, progress)


def refuse(task, out, progress):
    raise ConversionError("the thing: the fault. Run: the remedy")


def refuse_in_own_way(task, out, progress):
    raise OwnError("the thing: another fault")


def fail(task, out, progress):
    (out / "half").write_text("half")
    raise KeyError("what is not there")


def fill_disk(task, out, progress):
    Path("/dev/full").write_text("no disk is bigger than it is")


def fill_disk_in_a_framework(task, out, progress):
    try:
        raise RuntimeError("write failed: No space left on device")
    except RuntimeError as error:
        raise ConversionError("could not save the model") from error


def be_killed(task, out, progress):
    os.kill(os.getpid(), signal.SIGKILL)


def illegal(task, out, progress):
    os.kill(os.getpid(), signal.SIGILL)


def start_others(task, out, progress):
    other = subprocess.Popen(["sleep", "600"])
    (out / "pid").write_text(str(other.pid))
    os._exit(0)


def write_nothing(task, out, progress):
    pass


def look_around(task, out, progress):
    names = ("OMP_NUM_THREADS", "HF_HUB_DISABLE_TELEMETRY")
    (out / "text").write_text(" ".join(os.environ[name] for name in names))


def tell_python(task, out, progress):
    import tinypack  # noqa: PLC0415  the toolchain has it, and this environment has not

    (out / "text").write_text(f"{sys.prefix}\n{tinypack.answer}")


def hash_as_it_writes(task, out, progress):
    (out / "text").write_text("text")
    return {"text": File(digest="a" * 64, size=4)}


def run(task: Task, out: Path, progress: Progress) -> dict[str, File] | None:
    """Do what the option `do` names."""
    ways = {name: way for name, way in globals().items() if callable(way)}
    way = ways[str(task.options.get("do", "write"))]
    assert not (isinstance(way, type) and issubclass(way, PlatformError))
    return way(task, out, progress)
