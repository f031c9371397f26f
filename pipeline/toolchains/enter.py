"""Start the same command anew where a version can be answered with.

A runtime that does not go together with the platform's own packages is in its toolchain, and an
allocator has to be there before the process.
"""

import os
import sys
from pathlib import Path

from pipeline.toolchains import TOOLCHAINS, Toolchain
from pipeline.toolchains.entered import ENTERED
from pipeline.toolchains.inside import our_code
from pipeline.toolchains.place import interpreter, is_here
from registry.errors import ContractError, MissingExtraError
from registry.manifest import Build, Draft
from targets import find_target
from targets.host.allocator import allocator_in_force, library_of
from targets.host.contract import takes
from targets.serving.build import choose_build

#: The package that a server cannot do without.
_SERVER = "uvicorn"


def enter(draft: Draft, target: str | None, *, to_serve: bool = False) -> None:
    """Start this command anew, in the toolchain or with the allocator that a version asks for.

    Does not return then. Where this process will do, or no other would, nothing happens.

    Args:
        target: The build to take; None takes the first that can be run.
        to_serve: Whether the process stays, so that its allocator counts.

    Raises:
        ToolchainError: A toolchain could run it, but is not built.
        ContractError: The allocator is not installed.
    """
    if ENTERED in os.environ:
        return
    python, build = _place_for(draft, target, to_serve=to_serve)
    changes = {}
    if python != Path(sys.executable):
        changes["PYTHONPATH"] = _joined(str(our_code()), os.environ.get("PYTHONPATH"))
        # IPEX puts kernels in the place of torch's, of which torch warns whoever asked.
        changes["TORCH_CPP_LOG_LEVEL"] = os.environ.get("TORCH_CPP_LOG_LEVEL", "ERROR")
    wanted = build.allocator if build and to_serve else "default"
    if wanted not in ("default", allocator_in_force()):
        changes["LD_PRELOAD"] = _joined(str(library_of(wanted)), os.environ.get("LD_PRELOAD"))
    if changes:
        sys.stdout.flush()
        call = [str(python), "-P", "-m", "pipeline.cli", *sys.argv[1:]]
        changes[ENTERED] = sys.executable
        os.execve(python, call, {**os.environ, **changes})  # noqa: S606  our own


def _place_for(draft: Draft, target: str | None, *, to_serve: bool) -> tuple[Path, Build | None]:
    """Return the Python in which a build can be run, and which build that is."""
    try:
        return Path(sys.executable), choose_build(draft, target)
    except ContractError:
        named = [build for build in draft.builds if target in (None, build.target)]
    for build in filter(_lacks_its_runtime, named):
        for toolchain in TOOLCHAINS:
            if not is_here(toolchain) and _can_run(toolchain, build, to_serve=to_serve):
                return interpreter(toolchain), build
    return Path(sys.executable), None


def _lacks_its_runtime(build: Build) -> bool:
    """Say whether it is the runtime that this environment lacks: a CPU is no other elsewhere."""
    try:
        return not all(
            takes(part.contract, find_target(part.runtime).version()) for part in build.parts
        )
    except MissingExtraError:
        return True


def _can_run(toolchain: Toolchain, build: Build, *, to_serve: bool) -> bool:
    """Say whether it pins a version of the runtime that a build takes, and what a server needs."""
    pinned = {pin.name: pin.version for pin in toolchain.pins()}
    if to_serve and _SERVER not in pinned:
        return False
    versions = [(part, pinned.get(find_target(part.runtime).package)) for part in build.parts]
    return all(version is not None and takes(part.contract, version) for part, version in versions)


def _joined(*paths: str | None) -> str:
    return os.pathsep.join(filter(None, paths))
