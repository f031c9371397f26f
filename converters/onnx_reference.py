"""Let an ONNX file answer as it came: ONNX Runtime, nothing optimised."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Brief, RefusalError
from converters.stored import numpy_dtype
from registry.errors import SourceError

if TYPE_CHECKING:
    import onnxruntime

#: What ONNX Runtime says of ids that it refuses.
_REFUSED = re.compile(r"out of data bounds|out of (range|bounds)|indices", re.IGNORECASE)


def open_session(file: Path) -> "onnxruntime.InferenceSession":
    """Open an ONNX file to run as it came.

    Raises:
        SourceError: ONNX Runtime cannot load the file.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise SourceError(f"{file}: ONNX Runtime cannot load it: {error}") from error


def answering(file: Path, brief: Brief) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Give a function that runs the file on the job's inputs.

    The function raises `RefusalError` where ids are out of range.

    Raises:
        SourceError: ONNX Runtime cannot load the file.
    """
    session = open_session(file)
    names = brief.outputs or tuple(one.name for one in session.get_outputs())

    def answer(arrays: Arrays) -> dict[str, np.ndarray]:
        inputs = {
            given.name: arrays[given.name].astype(numpy_dtype(given.dtype), copy=False)
            for given in brief.inputs
        }
        try:
            values = session.run(None, inputs)
        except Exception as error:
            if _REFUSED.search(str(error)):
                raise RefusalError(str(error)) from error
            raise
        return dict(zip(names, values, strict=True))

    return answer
