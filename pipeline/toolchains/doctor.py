"""Find out whether a toolchain works on this host, and what is missing where it does not."""

import json
import os
import platform
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import SpecifierSet

from pipeline.processes.deaths import SIGNALS
from pipeline.processes.setting import environment
from pipeline.toolchains import place
from pipeline.toolchains.find_python import find_python
from pipeline.toolchains.toolchain import Toolchain
from registry.errors import ToolchainError
from targets.host.cpu import host

#: Seconds after which a toolchain that does not answer is taken for hung.
PATIENCE = 300.0


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what it is, and what to do where it is not well."""

    about: str
    well: bool
    text: str


def examine(toolchain: Toolchain) -> Iterator[Finding]:
    """Look at the CPU, the Python, the packages, their imports and a tiny graph, in this order.

    What stands in the way of all that follows ends it.
    """
    yield _cpu(toolchain)
    yield (python := _python(toolchain))
    yield (built := _built(toolchain))
    if python.well and built.well:
        yield from _inside(toolchain)


def _cpu(toolchain: Toolchain) -> Finding:
    lacking = [flag for flag in toolchain.isa if flag not in host().flags]
    if lacking:
        text = f"this CPU has no {', '.join(lacking)}: take a host that has it"
        return Finding("cpu", well=False, text=text)
    return Finding("cpu", well=True, text=", ".join(toolchain.isa) or "any")


def _python(toolchain: Toolchain) -> Finding:
    if place.is_built(toolchain):
        text = f"{place.interpreter(toolchain)}"
        if place.is_here(toolchain) and platform.python_version() not in SpecifierSet(
            toolchain.python
        ):
            return Finding("python", well=False, text=f"{text} is not {toolchain.python}")
        return Finding("python", well=True, text=text)
    try:
        return Finding("python", well=True, text=f"{find_python(toolchain)}")
    except ToolchainError as error:
        return Finding("python", well=False, text=str(error))


def _built(toolchain: Toolchain) -> Finding:
    try:
        place.interpreter(toolchain)
    except ToolchainError as error:
        return Finding("packages", well=False, text=str(error))
    count = len(toolchain.pins())
    here = place.is_here(toolchain)
    text = "this environment" if here else f"{count} pinned, in {place.folder_of(toolchain)}"
    return Finding("packages", well=True, text=text)


def _inside(toolchain: Toolchain) -> Iterator[Finding]:
    """Import and compute in a process of the toolchain's."""
    call = [str(place.interpreter(toolchain)), "-P", "-m", "pipeline.toolchains.probe"]
    try:
        done = subprocess.run(  # noqa: S603  our own interpreter and module
            [*call, toolchain.name],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, **environment(1)},
        )
    except subprocess.TimeoutExpired:
        text = f"it did not answer within {PATIENCE:.0f} s"
        yield Finding("graph", well=False, text=text)
        return
    if done.returncode:
        yield Finding("graph", well=False, text=_death(toolchain, done.returncode, done.stderr))
        return
    yield from _read(toolchain, json.loads(done.stdout.splitlines()[-1]))


def _read(toolchain: Toolchain, answer: dict[str, object]) -> Iterator[Finding]:
    pinned = {pin.name: pin.version for pin in toolchain.pins()}
    imported = answer["imported"]
    if not isinstance(imported, dict):
        raise TypeError(f"{toolchain.name}: its probe says {answer}")
    for package, (version, fault) in imported.items():
        wanted = pinned.get(package, version)
        if fault:
            text = f"does not import: {fault}. {_again(toolchain)}"
            yield Finding(package, well=False, text=text)
        elif version != wanted:
            text = f"is {version}, and {wanted} is pinned. {_again(toolchain)}"
            yield Finding(package, well=False, text=text)
        else:
            yield Finding(package, well=True, text=str(version))
    if answer["said"] or answer["fault"]:
        yield Finding(
            "graph", well=bool(answer["said"]), text=str(answer["said"] or answer["fault"])
        )


def _death(toolchain: Toolchain, code: int, log: str) -> str:
    last = next(reversed(log.strip().splitlines()), "")
    if code > 0:
        return f"its process left with code {code}: {last}. {_again(toolchain)}"
    name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
    return f"its process was ended by {name}: {SIGNALS.get(-code, 'no cause is known')}"


def _again(toolchain: Toolchain) -> str:
    """Say how to build it anew."""
    if place.is_here(toolchain):
        return "Run: pip install 'model-pipeline[convert,serve]'"
    folder: Path = place.folder_of(toolchain)
    return f"Run: rm -r {folder} && pipeline toolchain sync {toolchain.name}"
