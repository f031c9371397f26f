"""OpenVINO on the CPU."""

from functools import partial
from pathlib import Path
from queue import LifoQueue
from types import ModuleType
from typing import Any, Literal

import numpy as np

from registry.errors import ContractError, InputError
from registry.format import ENTRY, Format
from registry.graphs.attention import mask_attention
from registry.require import require
from registry.signature import ANY, Dim, DType, Precision, Signature, Tensor
from targets.feeds import check_feeds
from targets.host.allocator import spare_openvino
from targets.host.installed import installed_version
from targets.target import Arrays, Target, TargetOptions, ThreadPlan

#: OpenVINO's names of element types that numpy has, and ours.
DTYPES: dict[str, DType] = {
    "f64": DType.FLOAT64,
    "f32": DType.FLOAT32,
    "f16": DType.FLOAT16,
    "i64": DType.INT64,
    "i32": DType.INT32,
    "i16": DType.INT16,
    "i8": DType.INT8,
    "u8": DType.UINT8,
    "boolean": DType.BOOL,
}

#: OpenVINO keeps the kernels of so many shapes for each operator, where it would keep 5,000 in
#: all: a model of two layers that meets a thousand batch sizes then takes half a GB for ever.
SHAPES_KEPT = 64
KERNELS_KEPT = 5000

FLOAT32_MAX = float(np.finfo(np.float32).max)
INT32 = np.iinfo(np.int32)


class OpenvinoOptions(TargetOptions):
    """OpenVINO's slot in a job."""

    runtime: Literal["openvino"] = "openvino"
    precision: Literal["f32", "bf16", "f16"] = "f32"
    weights: Literal["f32", "f16"] = "f32"


class Request:
    """One inference request with input tensors of its own, which stay bound.

    Tensors grow to the largest shape that was asked for and are then reused: a new
    buffer for each new shape would make memory grow without end.
    """

    def __init__(
        self,
        openvino: ModuleType,
        compiled: Any,  # noqa: ANN401 - untyped
        signature: Signature,
    ) -> None:
        self._request = compiled.create_infer_request()
        self._tensors = {}
        self._views: dict[str, np.ndarray] = {}
        for port, said in zip(compiled.inputs, signature.inputs, strict=True):
            shape = [1 if size.is_dynamic else size.get_length() for size in port.partial_shape]
            tensor = openvino.Tensor(port.element_type, openvino.Shape(shape))
            self._request.set_tensor(port, tensor)
            self._tensors[said.name] = tensor
            self._views[said.name] = tensor.data
        self._outputs = [said.name for said in signature.outputs]

    def infer(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Copy in, compute, copy out."""
        for name, array in inputs.items():
            if self._views[name].shape != array.shape:
                self._tensors[name].shape = array.shape
                self._views[name] = self._tensors[name].data
            self._views[name][...] = array
        self._request.infer()
        return {
            name: _whole(np.array(self._request.get_output_tensor(number).data))
            for number, name in enumerate(self._outputs)
        }


def _whole(array: np.ndarray) -> np.ndarray:
    """Make infinity again of what OpenVINO cut to the largest float32 when it widened it."""
    if array.dtype == np.float64:
        array[array == FLOAT32_MAX] = np.inf
        array[array == -FLOAT32_MAX] = -np.inf
    return array


class OpenvinoRunner:
    """A compiled model and a request for each stream.

    Names are those of the file: compiling may add those of values inside to a port.
    """

    def __init__(
        self,
        openvino: ModuleType,
        compiled: Any,  # noqa: ANN401 - untyped
        signature: Signature,
        streams: int,
    ) -> None:
        self._version = openvino.get_version()
        self._compiled = compiled
        self._idle: LifoQueue[Request] = LifoQueue()
        for _ in range(streams):
            self._idle.put(Request(openvino, compiled, signature))
        self.signature = signature

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch.

        Raises:
            InputError: The inputs do not fit the signature, an int64 or float64 does not fit
                into the 32 bits that this runtime computes with, or the model refuses them.
        """
        check_feeds(inputs, self.signature)
        for name, array in inputs.items():
            _check_integers(name, array)
            _check_doubles(name, array)
        request = self._idle.get()
        try:
            return request.infer(inputs)
        except Exception as error:
            raise InputError(f"OpenVINO cannot answer these inputs: {error}") from error
        finally:
            self._idle.put(request)

    def in_force(self) -> dict[str, str]:
        """Read back from the compiled model what it does."""
        read = self._compiled.get_property
        return {
            "runtime": f"openvino {self._version}",
            "device": ", ".join(read("EXECUTION_DEVICES")),
            "precision": _precision(self._compiled),
            "threads": str(read("INFERENCE_NUM_THREADS")),
            "streams": str(read("NUM_STREAMS")),
            "pinned": str(read("ENABLE_CPU_PINNING")).lower(),
            "isa": _isa(self._compiled),
        }


def load(folder: Path, precision: Precision, plan: ThreadPlan) -> OpenvinoRunner:
    """Compile a model for the CPU.

    Raises:
        ContractError: It cannot be compiled here, or not to compute in the precision.
    """
    openvino = require("openvino", extra="serve")
    file = folder / ENTRY[Format.OPENVINO_IR]
    settings = {
        "INFERENCE_PRECISION_HINT": precision,
        "EXECUTION_MODE_HINT": "ACCURACY",
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": str(plan.streams),
        "INFERENCE_NUM_THREADS": str(plan.threads * plan.streams),
        "ENABLE_CPU_PINNING": plan.pinned,
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
        "KV_CACHE_PRECISION": "f32",
        "CACHE_DIR": "",
    }
    spare_openvino()
    core = openvino.Core()
    try:
        model = core.read_model(file)
        signature = Signature(
            inputs=tuple(map(_tensor, model.inputs)), outputs=tuple(map(_tensor, model.outputs))
        )
        mask_attention(openvino, model)
        settings["CPU_RUNTIME_CACHE_CAPACITY"] = _kernels(model)
        compiled = core.compile_model(model, "CPU", settings)
    except ContractError:
        raise
    except Exception as error:
        raise ContractError(f"{file}: OpenVINO cannot load it: {error}") from error
    if (found := _precision(compiled)) != precision:
        raise ContractError(
            f"{file}: OpenVINO computes in {found} on this host, not in {precision}; "
            f"build for {found}, or take a host that has {precision}"
        )
    return OpenvinoRunner(openvino, compiled, signature, plan.streams)


def _kernels(model: Any) -> str:  # noqa: ANN401 - untyped
    operators = sum(operator.get_type_name() != "Constant" for operator in model.get_ops())
    return str(min(KERNELS_KEPT, SHAPES_KEPT * operators))


def _check_integers(name: str, array: np.ndarray) -> None:
    """Refuse what OpenVINO would silently cut to 32 bits."""
    if array.dtype != np.int64 or array.size == 0:
        return
    low, high = int(array.min()), int(array.max())
    if low < INT32.min or high > INT32.max:
        wrong = low if low < INT32.min else high
        raise InputError(f"{name}: {wrong} does not fit into the 32 bits that OpenVINO uses")


def _check_doubles(name: str, array: np.ndarray) -> None:
    """Refuse what OpenVINO would silently take for the largest float32."""
    if array.dtype != np.float64:
        return
    beyond = np.isfinite(array) & (np.abs(array) > FLOAT32_MAX)
    if beyond.any():
        wrong = array[beyond].flat[0]
        raise InputError(f"{name}: {wrong:g} does not fit into the float32 that OpenVINO uses")


def _name(port: Any) -> str:  # noqa: ANN401 - untyped
    """Return a port's name; the converter has seen to it that there is one."""
    return str(min(port.get_names(), default=port.get_node().get_friendly_name()))


def _tensor(port: Any) -> Tensor:  # noqa: ANN401 - untyped
    kind = port.element_type.get_type_name()
    if kind not in DTYPES:
        raise ContractError(
            f"{_name(port)}: has the element type {kind}, which numpy lacks; "
            f"cast it to float32 inside the model"
        )
    shape: list[Dim] = [
        ANY if size.is_dynamic else size.get_length() for size in port.partial_shape
    ]
    return Tensor(name=_name(port), dtype=DTYPES[kind], shape=tuple(shape))


def _precision(compiled: Any) -> str:  # noqa: ANN401 - untyped
    return str(compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name())


def _isa(compiled: Any) -> str:  # noqa: ANN401 - untyped
    """Pick the instruction set out of 'meta=1.0;ov=2026.4.1;isa=...;', which 2025 does not tell."""
    if "RUNTIME_REQUIREMENTS" not in compiled.get_property("SUPPORTED_PROPERTIES"):
        return "not told"
    requirements = str(compiled.get_property("RUNTIME_REQUIREMENTS"))
    parts = (part.partition("=") for part in requirements.split(";"))
    return next((value for name, _, value in parts if name == "isa"), "")


TARGET = Target(
    runtime="openvino",
    package="openvino",
    format=Format.OPENVINO_IR,
    options=OpenvinoOptions,
    precisions={"f32": (), "bf16": ("avx512_bf16",), "f16": ("avx512_fp16",)},
    versions=("2025.4", "2027"),
    version=partial(installed_version, "openvino", "serve"),
    load=load,
)
