"""TorchScript on Intel Extension for PyTorch, on the CPU."""

import contextlib
import importlib.util
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from registry.calibration import Calibrated
from registry.errors import ContractError, MissingExtraError
from registry.format import ENTRY, Format
from registry.signature import Frozen, Layout, Precision, Signature
from targets.target import Target, ThreadPlan
from targets.torch_options import TorchOptions
from targets.torch_runner import TorchRunner, fix_threads, last_line, warm_up

PACKAGE, MODULE = "intel-extension-for-pytorch", "intel_extension_for_pytorch"

#: What the converter writes into the file: names, dtypes and shapes; sizes of the free axes that
#: the module was run with; how values are brought to int8.
SIGNATURE, SIZES, INT8 = "signature.json", "sizes.json", "int8.txt"

#: The CPU flag by which products of bytes are added up in 32 bits.
VNNI = "avx512_vnni"

#: Operators that a graph in int8 has.
_QUANTISES = ("quantized::", "aten::quantize_per_tensor")

#: What weights are kept in, and what is computed in then.
_COMPUTES: dict[str, Precision] = {
    "torch.float32": "f32",
    "torch.bfloat16": "bf16",
    "torch.float16": "f16",
}


def _as_precision(said: dict[str, Any]) -> Any:  # noqa: ANN401 - what a job says
    return said.get("precision", "f32")


class Calibration(Frozen):
    """Scales of i8 that are found once, before the model is converted.

    Attributes:
        samples: Of the job's recorded rows, the first so many; all, where they are fewer.
    """

    samples: int = Field(default=256, ge=1)


class IpexOptions(TorchOptions):
    """IPEX's slot in a job.

    Attributes:
        precision: bf16 converts products and convolutions; i8 quantises products by stored
            matrices, with scales of activations that are found in each request.
        calibration: Of i8: quantises convolutions as well, and finds scales once, with samples.
        weights: As the precision: IPEX lays weights out for what it computes in.
        memory_format: Of images: auto lays out filters alone, channels_last inputs as well.
    """

    runtime: Literal["ipex"] = "ipex"
    precision: Literal["f32", "bf16", "i8"] = "f32"
    weights: Literal["f32", "bf16", "i8"] = Field(default_factory=_as_precision)
    calibration: Calibration | None = None
    memory_format: Layout = "auto"

    @model_validator(mode="after")
    def _agree(self) -> "IpexOptions":
        if self.weights != self.precision:
            raise ValueError(f"IPEX keeps weights as it computes: write weights: {self.precision}")
        if self.calibration and self.precision != "i8":
            raise ValueError("calibration is for int8: write precision: i8, or take it out")
        return self

    @property
    def layout(self) -> Layout:
        """Which axis of images lies innermost."""
        return self.memory_format

    @property
    def calibrated(self) -> Calibrated | None:
        """How scales are found once; None where each request finds its own.

        Without VNNI, sums of two products of bytes are kept in 16 bits, where 8 bits overflow.
        """
        if self.calibration is None:
            return None
        return Calibrated(samples=self.calibration.samples, bits=8 if VNNI in self.isa else 7)


def load(folder: Path, precision: Precision, plan: ThreadPlan) -> TorchRunner:
    """Load a module, with the threads fixed before, and warm it up.

    Requests that run side by side share the threads, so that `plan.streams` has no say.

    Raises:
        ContractError: The module cannot be loaded, or computes in another precision.
    """
    file = folder / ENTRY[Format.IPEX_TORCHSCRIPT]
    if precision not in TARGET.precisions:
        able = " or ".join(TARGET.precisions)
        raise ContractError(f"{file}: IPEX does not compute in {precision}; build for {able}")
    _version()
    with _silent():
        import torch

        library()
    fix_threads(plan.threads)
    texts = {SIGNATURE: b"", SIZES: b"", INT8: b""}
    try:
        module = torch.jit.load(file, map_location="cpu", _extra_files=texts).eval()
        signature = Signature.model_validate_json(texts[SIGNATURE])
        found = precision_of(module)
        runner = TorchRunner(module, signature, lambda: _force(found, texts[INT8].decode()))
        with _silent():
            warm_up(runner, json.loads(texts[SIZES])[0])
    except Exception as error:
        raise ContractError(f"{file}: IPEX cannot load it: {last_line(error)}") from error
    if found != precision:
        raise ContractError(f"{file}: computes in {found}, not in {precision}; build it anew")
    return runner


@cache
def library() -> Any:  # noqa: ANN401 - untyped
    """Load IPEX's operators and passes, and return what asks and sets them.

    The package's own code, which takes three times as long to import as torch does, is for
    optimising; what is saved needs the library alone, as programs in C++ do.
    """
    if MODULE in sys.modules:
        return sys.modules[f"{MODULE}._C"]
    package = importlib.util.find_spec(MODULE)
    places = list(package.submodule_search_locations or ()) if package else []
    found = PathFinder.find_spec("_C", places)
    spec = found and importlib.util.spec_from_file_location(f"{MODULE}._C", found.origin)
    if spec is None or spec.loader is None:
        raise ContractError(f"{MODULE} is here without its library; build the toolchain anew")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # The package, where it is imported yet, takes it from Python's own memory of libraries.
    sys.modules.pop(spec.name, None)
    return module


def precision_of(module: Any) -> Precision:  # noqa: ANN401 - untyped
    """Read from a module's graph what the weights of its products and convolutions are."""
    nodes = list(_nodes(module.inlined_graph))
    if any(node.kind().startswith(_QUANTISES) for node in nodes):
        return "i8"
    kept = {str(dtype) for node in nodes for dtype in _weights_in(node)}
    narrow = [name for kind, name in _COMPUTES.items() if kind in kept and name != "f32"]
    return narrow[0] if narrow else "f32"


def _weights_in(node: Any) -> Iterator[Any]:  # noqa: ANN401 - untyped
    """Yield the element type of what a node holds: a tensor, or weights laid out by IPEX."""
    import torch

    if node.kind() != "prim::Constant" or node.output().type().kind() == "NoneType":
        return
    value = node.output().toIValue()
    if isinstance(value, torch.ScriptObject) and value._has_method("get_weight"):
        value = value.get_weight()
    if isinstance(value, torch.Tensor):
        yield value.dtype


def _nodes(block: Any) -> Iterator[Any]:  # noqa: ANN401 - untyped
    """Yield the nodes of a graph and of the blocks inside them."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _nodes(inner)


def _force(precision: Precision, int8: str) -> dict[str, str]:
    """Read back what IPEX and oneDNN do.

    Args:
        int8: As the file has it; empty where nothing is quantised.
    """
    import torch

    ipex = library()
    return {
        "runtime": f"ipex {_version()}",
        "torch": str(torch.__version__),
        "precision": precision,
        "isa": str(ipex._get_current_isa_level()),
        "f32 products": ipex.get_fp32_math_mode().name.lower(),
        "onednn": str(torch.backends.mkldnn.enabled).lower(),
        "quantised by": str(torch.backends.quantized.engine),
        **({"int8": int8} if int8 else {}),
    }


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep what IPEX says of its own end of support, and of GPUs, which the toolchain tells."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError as error:
        raise MissingExtraError(
            f"{PACKAGE} is not installed here; it has a toolchain of its own. Run: pipeline "
            "toolchain sync ipex"
        ) from error


TARGET = Target(
    runtime="ipex",
    package=PACKAGE,
    format=Format.IPEX_TORCHSCRIPT,
    options=IpexOptions,
    # Values have 7 bits where the target has no VNNI: then no sum overflows.
    precisions={"f32": (), "bf16": ("avx512_bf16",), "i8": ()},
    versions=("2.8", "2.9"),
    version=_version,
    load=load,
    toolchain="ipex",
)
