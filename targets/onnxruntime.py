"""ONNX Runtime on the CPU."""

from typing import Literal

from targets.target import TargetOptions


class OnnxruntimeOptions(TargetOptions):
    """ONNX Runtime's slot in a job."""

    runtime: Literal["onnxruntime"] = "onnxruntime"
    precision: Literal["f32"] = "f32"
    weights: Literal["f32"] = "f32"
