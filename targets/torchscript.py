"""TorchScript on torch, on the CPU."""

import json
import warnings
from functools import partial
from pathlib import Path
from typing import Literal

from registry.errors import ContractError
from registry.format import ENTRY, Format
from registry.require import require
from registry.signature import Precision, Signature
from targets.host.installed import installed_version
from targets.target import Target, ThreadPlan
from targets.torch_options import TorchOptions
from targets.torch_runner import TorchRunner, fix_threads, last_line, warm_up

#: What the converter writes into the file: names, dtypes and shapes; sizes of the free axes that
#: the module was run with.
SIGNATURE, SIZES = "signature.json", "sizes.json"


class TorchscriptOptions(TorchOptions):
    """TorchScript's slot in a job."""

    runtime: Literal["torchscript"] = "torchscript"
    precision: Literal["f32"] = "f32"
    weights: Literal["f32"] = "f32"


def load(folder: Path, precision: Precision, plan: ThreadPlan) -> TorchRunner:
    """Load a module, with the threads fixed before, and warm it up.

    Requests that run side by side share the threads, so that `plan.streams` has no say.

    Raises:
        ContractError: The module cannot be loaded, or not to compute in the precision.
    """
    file = folder / ENTRY[Format.TORCHSCRIPT]
    if precision not in TARGET.precisions:
        raise ContractError(f"{file}: TorchScript computes in f32 here, not in {precision}")
    torch = require("torch", extra="torch")
    fix_threads(plan.threads)
    texts = {SIGNATURE: "", SIZES: ""}
    try:
        with warnings.catch_warnings():  # of its deprecation, which the README tells of
            warnings.simplefilter("ignore")
            module = torch.jit.load(file, map_location="cpu", _extra_files=texts).eval()
        signature = Signature.model_validate_json(texts[SIGNATURE])
        runner = TorchRunner(module, signature, _force)
        warm_up(runner, json.loads(texts[SIZES])[0])
    except Exception as error:
        raise ContractError(f"{file}: torch cannot load it: {last_line(error)}") from error
    return runner


def _force() -> dict[str, str]:
    """Say which torch runs it."""
    return {"runtime": f"torchscript {TARGET.version()}"}


TARGET = Target(
    runtime="torchscript",
    package="torch",
    format=Format.TORCHSCRIPT,
    options=TorchscriptOptions,
    precisions={"f32": ()},
    versions=("2.13", "3"),
    version=partial(installed_version, "torch", "torch"),
    load=load,
)
