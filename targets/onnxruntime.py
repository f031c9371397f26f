"""ONNX Runtime on the CPU."""

from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from registry.errors import ContractError, InputError
from registry.format import ENTRY, Format
from registry.require import require
from registry.signature import ANY, Dim, DType, Precision, Signature, Tensor
from targets.feeds import check_feeds
from targets.host.installed import installed_version
from targets.target import Arrays, Target, TargetOptions, ThreadPlan

#: ONNX Runtime's names of element types that numpy has, and ours.
DTYPES: dict[str, DType] = {
    "tensor(double)": DType.FLOAT64,
    "tensor(float)": DType.FLOAT32,
    "tensor(float16)": DType.FLOAT16,
    "tensor(int64)": DType.INT64,
    "tensor(int32)": DType.INT32,
    "tensor(int16)": DType.INT16,
    "tensor(int8)": DType.INT8,
    "tensor(uint8)": DType.UINT8,
    "tensor(bool)": DType.BOOL,
}


class OnnxruntimeOptions(TargetOptions):
    """ONNX Runtime's slot in a job."""

    runtime: Literal["onnxruntime"] = "onnxruntime"
    precision: Literal["f32"] = "f32"
    weights: Literal["f32"] = "f32"


class OnnxruntimeRunner:
    """A session; its `run` may be called from several threads."""

    def __init__(self, session: Any, version: str) -> None:  # noqa: ANN401 - untyped
        self._session = session
        self._version = version
        self._outputs = [output.name for output in session.get_outputs()]
        self.signature = Signature(
            inputs=tuple(map(_tensor, session.get_inputs())),
            outputs=tuple(map(_tensor, session.get_outputs())),
        )

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch.

        Raises:
            InputError: The inputs do not fit the signature, or the model refuses them.
        """
        check_feeds(inputs, self.signature)
        try:
            answers = self._session.run(self._outputs, dict(inputs))
        except Exception as error:
            raise InputError(f"ONNX Runtime cannot answer these inputs: {error}") from error
        return dict(zip(self._outputs, answers, strict=True))

    def in_force(self) -> dict[str, str]:
        """Read back from the session what it does; it computes in the model's own f32."""
        options = self._session.get_session_options()
        return {
            "runtime": f"onnxruntime {self._version}",
            "device": ", ".join(self._session.get_providers()),
            "precision": "f32",
            "threads": str(options.intra_op_num_threads),
            "streams": "1",
            "optimisation": options.graph_optimization_level.name,
            "spinning": options.get_session_config_entry("session.intra_op.allow_spinning"),
        }


def load(folder: Path, precision: Precision, plan: ThreadPlan) -> OnnxruntimeRunner:
    """Open a session for the CPU.

    Requests that run side by side share the threads, so that `plan.streams` has no say.

    Raises:
        ContractError: The model cannot be loaded, or not to compute in the precision.
    """
    file = folder / ENTRY[Format.ONNX]
    if precision not in TARGET.precisions:
        raise ContractError(f"{file}: ONNX Runtime does not compute in {precision}; build for f32")
    onnxruntime = require("onnxruntime", extra="serve")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = plan.threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    # Threads that spin take the CPU from every other pool of the process and of its neighbours.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # A memory plan for each new shape would be kept for ever.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ContractError(f"{file}: ONNX Runtime cannot load it: {error}") from error
    return OnnxruntimeRunner(session, onnxruntime.__version__)


def _tensor(port: Any) -> Tensor:  # noqa: ANN401 - untyped
    if port.type not in DTYPES:
        raise ContractError(
            f"{port.name}: is a {port.type}, which numpy lacks; cast it to float32 inside the model"
        )
    shape: list[Dim] = [size if isinstance(size, int) else size or ANY for size in port.shape]
    return Tensor(name=port.name, dtype=DTYPES[port.type], shape=tuple(shape))


TARGET = Target(
    runtime="onnxruntime",
    package="onnxruntime",
    format=Format.ONNX,
    options=OnnxruntimeOptions,
    precisions={"f32": ()},
    versions=("1.23", "2"),
    version=partial(installed_version, "onnxruntime", "serve"),
    load=load,
)
