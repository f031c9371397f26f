"""TorchScript on Intel Extension for PyTorch, on the CPU."""

import json
import warnings
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import numpy as np

from registry.errors import ContractError, InputError, MissingExtraError
from registry.format import ENTRY, Format
from registry.signature import Precision, Signature
from targets.feeds import NUMPY, check_feeds
from targets.target import Arrays, Target, TargetOptions, ThreadPlan

PACKAGE = "intel-extension-for-pytorch"

#: What the converter writes into the file: names, dtypes and shapes; sizes of the free axes that
#: the module was run with.
SIGNATURE, SIZES = "signature.json", "sizes.json"

#: The passes over the graph are done in the first runs, not when the module is loaded.
WARM_UP = 3


class IpexOptions(TargetOptions):
    """IPEX's slot in a job."""

    runtime: Literal["ipex"] = "ipex"
    precision: Literal["f32"] = "f32"
    weights: Literal["f32"] = "f32"


class IpexRunner:
    """A frozen module; it may be called from several threads."""

    def __init__(self, module: Any, signature: Signature, ipex: str) -> None:  # noqa: ANN401 - untyped
        self.signature = signature
        self._module = module
        self._ipex = ipex

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch.

        Raises:
            InputError: The inputs do not fit the signature, or the model refuses them.
        """
        import torch

        check_feeds(inputs, self.signature)
        # Arrays that may not be written to would be warned of.
        arrays = [inputs[tensor.name] for tensor in self.signature.inputs]
        given = [torch.from_numpy(np.require(array, requirements=["C", "W"])) for array in arrays]
        try:
            with torch.inference_mode():
                answers = self._module(*given)
        except Exception as error:
            raise InputError(f"IPEX cannot answer these inputs: {_last(error)}") from error
        # An answer may be a view of an input.
        found = [np.array(answer.numpy()) for answer in answers]
        names = [tensor.name for tensor in self.signature.outputs]
        return dict(zip(names, found, strict=True))

    def in_force(self) -> dict[str, str]:
        """Read back from torch what it does."""
        import torch

        return {
            "runtime": f"ipex {self._ipex}",
            "torch": str(torch.__version__),
            "device": "CPU",
            "precision": "f32",
            "threads": str(torch.get_num_threads()),
            "streams": "1",
            "isa": str(torch.backends.cpu.get_cpu_capability()),
        }


def load(folder: Path, precision: Precision, plan: ThreadPlan) -> IpexRunner:
    """Load a module, with the threads fixed before: packed weights are laid out for them.

    Requests that run side by side share the threads, so that `plan.streams` has no say.

    Raises:
        ContractError: The module cannot be loaded, or not to compute in the precision.
    """
    file = folder / ENTRY[Format.IPEX_TORCHSCRIPT]
    if precision not in TARGET.precisions:
        raise ContractError(f"{file}: IPEX does not compute in {precision}; build for f32")
    installed = _version()
    import intel_extension_for_pytorch  # noqa: F401  registers its operators and passes
    import torch

    if torch.get_num_threads() != plan.threads:
        torch.set_num_threads(plan.threads)
    texts = {SIGNATURE: "", SIZES: ""}
    try:
        module = torch.jit.load(file, map_location="cpu", _extra_files=texts).eval()
        runner = IpexRunner(module, Signature.model_validate_json(texts[SIGNATURE]), installed)
        _warm_up(runner, json.loads(texts[SIZES])[0])
    except Exception as error:
        raise ContractError(f"{file}: IPEX cannot load it: {_last(error)}") from error
    return runner


def _warm_up(runner: IpexRunner, sizes: Mapping[str, int]) -> None:
    inputs = {
        tensor.name: np.zeros(
            [sizes[dim] if isinstance(dim, str) else dim for dim in tensor.shape],
            NUMPY[tensor.dtype],
        )
        for tensor in runner.signature.inputs
    }
    with warnings.catch_warnings():  # of its own end of support, which the toolchain tells
        warnings.simplefilter("ignore")
        for _ in range(WARM_UP):
            runner.run(inputs)


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError as error:
        raise MissingExtraError(
            f"{PACKAGE} is not installed here; it has a toolchain of its own. Run: pipeline "
            "toolchain sync ipex"
        ) from error


def _last(error: Exception) -> str:
    """Leave out the stack that TorchScript writes above what went wrong."""
    return next(reversed(str(error).strip().splitlines()), type(error).__name__)


TARGET = Target(
    runtime="ipex",
    package=PACKAGE,
    format=Format.IPEX_TORCHSCRIPT,
    options=IpexOptions,
    precisions={"f32": ()},
    versions=("2.8", "2.9"),
    version=_version,
    load=load,
    toolchain="ipex",
)
