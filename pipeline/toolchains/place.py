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

from pipeline.showing.progress import size
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


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
