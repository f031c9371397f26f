"""Let an ONNX file answer as it came: ONNX Runtime, nothing optimised."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Brief, RefusalError
from converters.dtypes import numpy_dtype
from converters.onnx_models.faults import is_outside
from converters.onnx_models.files import open_model, tensors
from converters.onnx_models.inline import bring_in
from registry.errors import SourceError

if TYPE_CHECKING:
    import onnx
    import onnxruntime

#: What ONNX Runtime says of ids that it refuses.
_REFUSED = re.compile(r"out of data bounds|out of (range|bounds)|indices", re.IGNORECASE)

#: Where weights lie that are not in the model.
_FOLDER = "session.model_external_initializers_file_folder_path"


def open_session(file: Path) -> "onnxruntime.InferenceSession":
    """Open an ONNX file to run as it came; its big weights stay mapped.

    Raises:
        SourceError: ONNX Runtime cannot load the file.
    """
    return session_of(open_model(file), file.parent, str(file))


def session_of(model: "onnx.ModelProto", folder: Path, name: str) -> "onnxruntime.InferenceSession":
    """Open a model to run as it came.

    Args:
        folder: Where weights lie that are not in the model.
        name: What to call it in errors.

    Raises:
        SourceError: ONNX Runtime cannot load it.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    bring_in(model, folder)
    options.add_session_config_entry(_FOLDER, str(_follow_links(model, folder)))
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise SourceError(f"{name}: ONNX Runtime cannot load it: {error}") from error


def _follow_links(model: "onnx.ModelProto", folder: Path) -> Path:
    """Name weights by the files that links lead to, and return a folder that holds them all.

    ONNX Runtime follows no link out of the folder that it is told of.
    """
    outside = [tensor for tensor in tensors(model.graph) if is_outside(tensor)]
    said = [one for tensor in outside for one in tensor.external_data if one.key == "location"]
    files = [(folder / one.value).resolve() for one in said]
    top = Path(os.path.commonpath([folder.resolve(), *(file.parent for file in files)]))
    for one, file in zip(said, files, strict=True):
        one.value = file.relative_to(top).as_posix()
    return top


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
