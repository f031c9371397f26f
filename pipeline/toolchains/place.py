"""Where toolchains lie, and whether one is built.

<home>/<name>-<digest of its pins>/          the environment: whole, or not there
                                   bin/python
<home>/<name>-<digest>.partial/              one in the making, or what is left of one
                              wheels/        what is fetched already
<home>/<name>-<digest>.lock                  held by the process that makes it
"""

import os
import platform
import sys
from importlib import metadata
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from pipeline.showing.progress import size
from pipeline.toolchains.pins import Pin
from pipeline.toolchains.toolchain import Toolchain
from registry.errors import ToolchainError


def toolchains_home() -> Path:
    """Return the folder that PIPELINE_TOOLCHAINS names, or the user's cache."""
    if named := os.environ.get("PIPELINE_TOOLCHAINS"):
        return Path(named).resolve()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "model-pipeline" / "toolchains"


def folder_of(toolchain: Toolchain) -> Path:
    """Return where it is or would be built."""
    return toolchains_home() / f"{toolchain.name}-{toolchain.digest()}"


def is_here(toolchain: Toolchain) -> bool:
    """Say whether this very environment is the toolchain, or holds all that it pins."""
    if not toolchain.pinned:
        return True
    fits = platform.python_version() in SpecifierSet(toolchain.python)
    return fits and all(_installed(pin.name) == pin.version for pin in toolchain.pins())


def is_built(toolchain: Toolchain) -> bool:
    """Say whether it can be run."""
    return is_here(toolchain) or (folder_of(toolchain) / "bin" / "python").exists()


def missing(toolchain: Toolchain) -> tuple[str, ...]:
    """Name what a toolchain that is built lacks, by a look at its folder: packages, modules.

    Whether the rest works is not looked at: `doctor` imports it.
    """
    if is_here(toolchain):
        return ()
    packages = next((folder_of(toolchain) / "lib").glob("python3*/site-packages"), None)
    there = {path.name for path in packages.iterdir()} if packages else set()
    told = {_told(name) for name in there if name.endswith(".dist-info")}
    lacking = [f"{pin.name} {pin.version}" for pin in toolchain.pins() if _pinned(pin) not in told]
    files = {name.partition(".")[0] for name in there}
    modules = [module for module in toolchain.modules.values() if module not in files]
    return (*lacking, *(f"module {module}" for module in modules))


def interpreter(toolchain: Toolchain) -> Path:
    """Return its Python.

    Raises:
        ToolchainError: It is not built.
    """
    if is_here(toolchain):
        return Path(sys.executable)
    python = folder_of(toolchain) / "bin" / "python"
    if not python.exists():
        raise ToolchainError(
            f"toolchain {toolchain.name} is not built ({toolchain.purpose}). Run: pipeline "
            f"toolchain sync {toolchain.name} (it takes {size(toolchain.disk)} of disk)"
        )
    return python


def _told(folder: str) -> tuple[str, str]:
    """Read package and version from a folder's name: 'tiny_pack-1.0.dist-info'."""
    name, _, version = folder.removesuffix(".dist-info").partition("-")
    return canonicalize_name(name), version


def _pinned(pin: Pin) -> tuple[str, str]:
    return canonicalize_name(pin.name), pin.version


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
