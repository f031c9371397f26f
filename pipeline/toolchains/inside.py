"""Run stages inside of toolchains."""

import os
import sysconfig
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pipeline.processes.setting import ROOT, Setting
from pipeline.toolchains import CURRENT, find_toolchain
from pipeline.toolchains.place import interpreter, is_here, toolchains_home
from registry.errors import ToolchainError

#: What a stage imports of this platform.
_PACKAGES = ("pipeline", "converters", "targets", "registry")


def inside(setting: Setting, name: str) -> Setting:
    """Return the setting with a toolchain's Python, which finds our code and its own packages.

    Raises:
        ToolchainError: It is not built.
    """
    if name == CURRENT or is_here(find_toolchain(name)):
        return setting
    paths = (str(our_code()), os.environ.get("PYTHONPATH"))
    chosen = {**setting.environment, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return replace(setting, python=interpreter(find_toolchain(name)), environment=chosen)


def check_built(names: Iterable[str]) -> None:
    """Refuse a run of stages whose toolchains are not there, before it begins.

    Raises:
        ToolchainError: With every toolchain that is not built, and what builds it.
    """
    faults = []
    for name in dict.fromkeys(names):
        try:
            if name != CURRENT:
                interpreter(find_toolchain(name))
        except ToolchainError as error:
            faults.append(str(error))
    if faults:
        raise ToolchainError("\n".join(faults))


def our_code() -> Path:
    """Return a folder in which our packages lie and no others: those are the toolchain's own.

    Where we are installed beside other packages that is a folder of links.
    """
    if str(ROOT) not in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        return ROOT
    folder = toolchains_home() / "code" / str(ROOT).strip("/").replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    for package in _PACKAGES:
        link = folder / package
        if not link.is_symlink():
            link.symlink_to(ROOT / package)
    return folder
