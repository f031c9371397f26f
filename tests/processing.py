"""Estimators to put around a model, and their ONNX, run."""

from pathlib import Path

import numpy as np
import onnxruntime
import skops.io

from converters.processing.processor import Processor
from registry.signature import DType, Tensor


def dump(folder: Path, estimator: object, name: str = "one.skops") -> Path:
    skops.io.dump(estimator, folder / name)
    return folder / name


def tensors_of(**arrays: np.ndarray) -> list[Tensor]:
    return [
        Tensor(name=name, dtype=DType(array.dtype.name), shape=("batch", *array.shape[1:]))
        for name, array in arrays.items()
    ]


def run(processor: Processor, **arrays: np.ndarray) -> dict[str, np.ndarray]:
    """Answer with what the processor becomes in ONNX."""
    model, _ = processor.as_onnx(tensors_of(**arrays), "part")
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, arrays), strict=True))


def check_alike(processor: Processor, atol: float = 1e-5, **arrays: np.ndarray) -> None:
    right, given = processor.answer(arrays), run(processor, **arrays)
    assert right.keys() == given.keys()
    for name, array in right.items():
        assert array.dtype == given[name].dtype
        np.testing.assert_allclose(given[name], array, atol=atol, rtol=1e-4)
        assert array.size
