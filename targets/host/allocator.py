"""The memory allocator of a process: the C library's own, or one that was loaded before it."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from registry.errors import ContractError
from registry.manifest import Allocator

MAPS = Path("/proc/self/maps")

#: Files that bring an allocator, the first that is found; and Debian's package of the first.
LIBRARIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "jemalloc": ("libjemalloc.so.2",),
        "tcmalloc": ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4"),
    }
)
PACKAGES: Mapping[str, str] = MappingProxyType(
    {"jemalloc": "libjemalloc2", "tcmalloc": "libtcmalloc-minimal4"}
)

#: Where Linux distributions keep libraries.
_FOLDERS = (
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
)


def allocator_in_force(maps: Path = MAPS) -> Allocator:
    """Read from what this process has mapped which allocator it takes memory from."""
    try:
        text = maps.read_text()
    except OSError:
        return "default"
    if "/libjemalloc" in text:
        return "jemalloc"
    return "tcmalloc" if "/libtcmalloc" in text else "default"


def spare_openvino() -> None:
    """Let OpenVINO work with an allocator that was loaded before it; call it before it compiles.

    TBB loads the library that binds threads past what was preloaded (RTLD_DEEPBIND), so that one
    allocator is given back what another gave, and the process is aborted (oneTBB's issue 1645).
    It leaves that off where it is told of a sanitizer, which is loaded in the same way.
    """
    if allocator_in_force() != "default":
        os.environ.setdefault("TBB_ENABLE_SANITIZERS", "1")


def library_of(allocator: Allocator) -> Path:
    """Find the file to load before a process starts.

    Raises:
        ContractError: It is not installed.
    """
    for folder in _folders():
        for name in LIBRARIES[allocator]:
            if (folder / name).exists():
                return folder / name
    raise ContractError(
        f"{allocator}, which the build asks for, is not installed on this host. Run: apt-get "
        f"install {PACKAGES[allocator]}, or set LD_LIBRARY_PATH to the folder that has it"
    )


def _folders() -> Iterator[Path]:
    named = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    yield from (Path(folder) for folder in named if folder)
    yield from map(Path, _FOLDERS)
