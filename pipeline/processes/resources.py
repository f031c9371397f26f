"""Memory, disk and CPU: what there is, within every limit that holds here."""

import platform
import shutil
from pathlib import Path

from targets.host.cgroups import cgroups

_ROOT = Path("/")


def free_disk(folder: Path) -> int:
    """Return the free bytes of the disk that a folder is or would be on."""
    return shutil.disk_usage(_existing(folder)).free


def disk_of(folder: Path) -> int:
    """Return the number of the disk that a folder is or would be on."""
    return _existing(folder).stat().st_dev


def cpu_name() -> str:
    """Return the model of this CPU, for people."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def free_memory() -> int:
    """Return the bytes that this process and its children may still take."""
    line = next(
        line
        for line in Path("/proc/meminfo").read_text().splitlines()
        if line.startswith("MemAvailable:")
    )
    return min(
        [int(line.split()[1]) << 10, *(headroom(group) for group, _ in cgroups(_ROOT, "memory"))]
    )


def oom_kills() -> int:
    """Count the processes that the kernel killed for lack of memory, here and on the host."""
    counters = [Path("/proc/vmstat")]
    for group, _ in cgroups(_ROOT, "memory"):
        counters += [group / "memory.events", group / "memory.oom_control"]
    return sum(_figure(file, "oom_kill") for file in counters)


def headroom(group: Path) -> int:
    """Return a cgroup's limit less what it uses, pages that can be dropped not counted."""
    for limit, usage in (
        ("memory.max", "memory.current"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        if not (group / limit).is_file() or not (group / usage).is_file():
            continue
        text = (group / limit).read_text().strip()
        if text != "max":
            used = int((group / usage).read_text())
            return int(text) - used + _figure(group / "memory.stat", "inactive_file")
    return 1 << 62


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _figure(file: Path, name: str) -> int:
    """Read one figure of a file of `name figure` lines; 0 where it is not there."""
    if not file.is_file():
        return 0
    lines = (line.split() for line in file.read_text().splitlines())
    return next((int(line[1]) for line in lines if line[0] == name), 0)
