"""Packages of AOTInductor on torch, on the CPU."""

import json
import zipfile
from functools import partial
from pathlib import Path
from typing import Any, Literal

from registry.errors import ContractError
from registry.format import ENTRY, Format
from registry.require import require
from registry.signature import Precision, Signature
from targets.host.cpu import host
from targets.host.installed import installed_version
from targets.target import Target, ThreadPlan
from targets.torch_options import TorchOptions
from targets.torch_runner import TorchRunner, fix_threads, last_line, warm_up

#: What the converter writes beside the package.
PACKAGE = "package.json"


class InductorOptions(TorchOptions):
    """AOTInductor's slot in a job."""

    runtime: Literal["inductor"] = "inductor"
    precision: Literal["f32"] = "f32"
    weights: Literal["f32"] = "f32"


def load(folder: Path, precision: Precision, plan: ThreadPlan) -> TorchRunner:
    """Load a package with a runner for each stream, and warm it up.

    Raises:
        ContractError: This CPU lacks what the package was built for, it cannot be loaded, or
            not to compute in the precision.
    """
    file = folder / ENTRY[Format.INDUCTOR]
    if precision not in TARGET.precisions:
        raise ContractError(f"{file}: AOTInductor computes in f32 here, not in {precision}")
    torch = require("torch", extra="torch")
    fix_threads(plan.threads)
    try:
        package = json.loads((folder / PACKAGE).read_bytes())
        _check_host(file, package["flags"])
        runner = TorchRunner(
            _opened(torch, file, plan),
            Signature.model_validate(package["signature"]),
            partial(_force, package["flags"], plan.streams),
        )
        warm_up(runner, package["sizes"][0])
    except ContractError:
        raise
    except Exception as error:
        raise ContractError(f"{file}: torch cannot load it: {last_line(error)}") from error
    return runner


def _check_host(file: Path, flags: list[str]) -> None:
    has = host().flags
    if lacking := [flag for flag in flags if flag not in has]:
        raise ContractError(
            f"{file}: was built for a CPU with {', '.join(lacking)}, which this one lacks; take "
            "another build, or a host that has it"
        )


def _opened(torch: Any, file: Path, plan: ThreadPlan) -> Any:  # noqa: ANN401 - untyped
    """Open a package whose bytes are whole: a library that is cut short kills the process.

    Torch's own function would compile something first, to see what this host can do.
    """
    with zipfile.ZipFile(file) as archive:
        if damaged := archive.testzip():
            raise ValueError(f"{damaged} in it is damaged")
    package = torch._C._aoti.AOTIModelPackageLoader(str(file), "model", False, plan.streams, -1)  # noqa: FBT003
    return lambda *inputs: package.run(list(inputs))


def _force(flags: list[str], streams: int) -> dict[str, str]:
    """Say which torch runs it, and what it was compiled for."""
    return {
        "runtime": f"inductor {TARGET.version()}",
        "streams": str(streams),
        "built for": " ".join(flags) or "any x86-64",
    }


TARGET = Target(
    runtime="inductor",
    package="torch",
    format=Format.INDUCTOR,
    options=InductorOptions,
    precisions={"f32": ()},
    # A package calls the torch that compiled it; others are not promised to understand it.
    versions=("2.13", "2.14"),
    version=partial(installed_version, "torch", "torch"),
    load=load,
)
