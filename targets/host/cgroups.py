"""The cgroups whose limits hold for this process, v1 and v2."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Mount(NamedTuple):
    """A cgroup hierarchy: the cgroup that is mounted, where, and for which controllers."""

    root: str
    point: str
    unified: bool
    controllers: frozenset[str]


def cgroups(root: Path, controller: str) -> Iterator[tuple[Path, bool]]:
    """Yield the folders of the process's cgroups and of all their ancestors that are visible.

    The second of each pair says whether it is of cgroups v2.
    """
    mounts = [mount for line in lines_of(root / "proc/self/mountinfo") if (mount := _mount(line))]
    for line in lines_of(root / "proc/self/cgroup"):
        _, names, path = line.split(":", 2)
        for mount in mounts:
            belongs = controller in names.split(",") and controller in mount.controllers
            if (names == "" and mount.unified) or belongs:
                yield from ((folder, mount.unified) for folder in _upwards(root, mount, path))


def _mount(line: str) -> Mount | None:
    before, _, after = line.partition(" - ")
    fields, (kind, *_, options) = before.split(), after.split() or [""]
    if kind not in ("cgroup", "cgroup2"):
        return None
    return Mount(fields[3], fields[4], kind == "cgroup2", frozenset(options.split(",")))


def _upwards(root: Path, mount: Mount, path: str) -> Iterator[Path]:
    """Yield a cgroup's folder and those above it, up to the mount's."""
    top = root / mount.point.lstrip("/")
    # In a container the path may lie outside of what is mounted; the mount's own root is it then.
    inside = path == mount.root or path.startswith(mount.root.rstrip("/") + "/")
    below = path[len(mount.root.rstrip("/")) :].strip("/") if inside else ""
    folder = top / below if ".." not in below.split("/") else top
    while True:
        yield folder
        if folder == top:
            return
        folder = folder.parent


def lines_of(path: Path) -> list[str]:
    """Read a file's lines; one that is not there has none."""
    return text_of(path).splitlines()


def text_of(path: Path) -> str:
    """Read a file; one that is not there says nothing."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
