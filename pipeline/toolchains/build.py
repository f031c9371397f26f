"""Build a toolchain from its pins: fetched one by one, checked by digest, whole or not there."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from pipeline.caching.cache import hold
from pipeline.processes import resources
from pipeline.showing.progress import size
from pipeline.toolchains import place
from pipeline.toolchains.find_python import find_python
from pipeline.toolchains.pins import Pin
from pipeline.toolchains.toolchain import Toolchain
from registry.errors import ResourceError, ToolchainError
from registry.progress import Progress


def sync(toolchain: Toolchain, progress: Progress, on_wait: Callable[[], None]) -> Path:
    """Have a toolchain built, and return its Python.

    Nothing is done where this environment holds all that it pins already. What a build that was
    stopped has fetched is not fetched again; packages of other digests than the pinned ones are
    refused.

    Args:
        on_wait: Called where another process is building it, before waiting for that.

    Raises:
        ToolchainError: There is no Python for it, or a package cannot be fetched or installed.
        ResourceError: The disk has no room for it.
    """
    if place.is_built(toolchain):
        return place.interpreter(toolchain)
    folder = place.folder_of(toolchain)
    with hold(folder, on_wait):
        if not place.is_built(toolchain):
            _check_disk(toolchain, folder)
            _check_pip()
            _build(toolchain, folder, progress)
    return place.interpreter(toolchain)


def _build(toolchain: Toolchain, folder: Path, progress: Progress) -> None:
    draft = folder.with_name(f"{folder.name}.partial")
    wheels, environment = draft / "wheels", draft / "environment"
    pins = toolchain.pins()
    python = find_python(toolchain)
    wheels.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(environment, ignore_errors=True)
    _call(toolchain, [str(python), "-m", "venv", "--without-pip", str(environment)])
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python")]
    for done, pin in enumerate(pins):
        progress(done, len(pins) + 1, "packages")
        _fetch(toolchain, pip, pin, wheels)
    progress(len(pins), len(pins) + 1, "packages")
    _install(toolchain, pip, wheels)
    # Scripts name the Python of the folder that they were installed into, which will be renamed.
    for script in (environment / "bin").iterdir():
        if not script.name.startswith("python"):
            script.unlink()
    environment.rename(folder)
    shutil.rmtree(draft)
    progress(len(pins) + 1, len(pins) + 1, "packages")


def _fetch(toolchain: Toolchain, pip: list[str], pin: Pin, wheels: Path) -> None:
    """Fetch one package, unless it lies there already and is what was pinned."""
    wanted = wheels / "pin.txt"
    wanted.write_text(f"{pin.line}\n")
    call = [*pip, "download", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
    quiet = ["--quiet", "--no-input", "--no-cache-dir", "--disable-pip-version-check"]
    folders = ["--dest", str(wheels), "--find-links", str(wheels)]
    _call(toolchain, [*call, *quiet, *folders, "--requirement", str(wanted)])


def _install(toolchain: Toolchain, pip: list[str], wheels: Path) -> None:
    """Install all that was fetched, and nothing else; byte code is compiled when it is run."""
    call = [*pip, "install", "--no-deps", "--require-hashes", "--no-index", "--no-compile"]
    quiet = ["--quiet", "--no-input", "--no-cache-dir", "--disable-pip-version-check"]
    source = ["--find-links", str(wheels), "--requirement", str(toolchain.file)]
    _call(toolchain, [*call, *quiet, *source])


def _call(toolchain: Toolchain, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  ours
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        said = "\n".join(line for line in lines if not line.startswith("WARNING"))
        raise ToolchainError(
            f"toolchain {toolchain.name} cannot be built: {Path(command[0]).name} says\n"
            f"{said[-2000:]}\nWhat was fetched is kept: run the same command again"
        )


def _check_disk(toolchain: Toolchain, folder: Path) -> None:
    need, free = toolchain.download + toolchain.disk, resources.free_disk(folder)
    if need > free:
        raise ResourceError(
            f"{folder.parent}: building {toolchain.name} takes up to {size(need)} of disk, and "
            f"{size(free)} are free. Free some, or set PIPELINE_TOOLCHAINS to a folder on a "
            "bigger disk"
        )


def _check_pip() -> None:
    try:
        metadata.version("pip")
    except metadata.PackageNotFoundError as error:
        raise ToolchainError(
            f"toolchains are built with pip, which {sys.executable} has not. Run: "
            f"{sys.executable} -m ensurepip"
        ) from error
