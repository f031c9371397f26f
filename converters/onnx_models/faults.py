"""What is wrong with an ONNX file that a checker may well accept."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.files import nodes, open_model, tensors
from registry.errors import SourceError
from registry.format import ENTRY, Format

if TYPE_CHECKING:
    import onnx

_STANDARD = ("", "ai.onnx", "ai.onnx.ml")
#: The name that the default domain also goes by.
_DEFAULT = {"ai.onnx": ""}
_CHUNK = 1 << 24


def inspect(folder: Path) -> tuple[str, ...]:
    """List the faults of `model.onnx` in a folder."""
    return faults(open_model(folder / ENTRY[Format.ONNX]), folder)


def faults(model: "onnx.ModelProto", folder: Path) -> tuple[str, ...]:
    """List foreign operators, dangling data and weights that are not numbers."""
    return (*_foreign(model), *_functions(model), *_data(model, folder), *_nan(model, folder))


def outside_fault(tensor: "onnx.TensorProto", folder: Path) -> str | None:
    """Say what is wrong with where a tensor's data lies, if it lies outside the file.

    The path that the file says stays in the folder. Links in the folder are followed wherever
    they lead: its owner laid them, as caches of downloads do, and not who wrote the file.
    """
    said = {entry.key: entry.value for entry in tensor.external_data}
    location = said.get("location", "")
    file = folder / location
    if not location:
        return f"'{tensor.name}' does not say where its data lies"
    if Path(location).is_absolute() or ".." in Path(location).parts:
        return f"the data of '{tensor.name}' lies outside the model's folder: {location}"
    if not file.is_file():
        return f"the data of '{tensor.name}' is missing: {location}"
    offset, length = (said.get(key, "0") for key in ("offset", "length"))
    if not (offset.isdecimal() and length.isdecimal()):
        return f"'{tensor.name}' says it lies at offset {offset}, length {length} of {location}"
    wanted = int(length) or size_of(tensor)
    if wanted < size_of(tensor) or int(offset) + wanted > file.stat().st_size:
        return (
            f"'{tensor.name}' needs {size_of(tensor)} bytes from {offset} on of {location},"
            f" which has {file.stat().st_size}: the file is cut short, or not this model's"
        )
    return None


def is_outside(tensor: "onnx.TensorProto") -> bool:
    """Tell whether a tensor's data lies in another file."""
    return int(tensor.data_location) == 1


def _foreign(model: "onnx.ModelProto") -> Iterator[str]:
    import onnx

    opsets = {entry.domain: entry.version for entry in model.opset_import}
    local = {(function.domain, function.name) for function in model.functions}
    found: dict[str, str] = {}
    for node in nodes(model.graph):
        name = f"{node.domain}::{node.op_type}" if node.domain else node.op_type
        version = opsets.get(node.domain, opsets.get("ai.onnx", 0) if not node.domain else 0)
        if (node.domain, node.op_type) in local:
            continue
        if node.domain not in _STANDARD:
            found.setdefault(name, f"operator {name}{_of(node)} is not a standard one")
        elif not onnx.defs.has(node.op_type, version, _DEFAULT.get(node.domain, node.domain)):
            found.setdefault(name, f"operator {name}{_of(node)} is not in opset {version}")
    yield from found.values()


def _of(node: "onnx.NodeProto") -> str:
    paths = [entry.value for entry in node.metadata_props if entry.key == "module"]
    return f" (module '{paths[0]}')" if paths else f" (node '{node.name}')" if node.name else ""


def _functions(model: "onnx.ModelProto") -> Iterator[str]:
    for function in model.functions:
        yield f"function {function.domain}::{function.name} is local to the file"


def _data(model: "onnx.ModelProto", folder: Path) -> Iterator[str]:
    for tensor in tensors(model.graph):
        if is_outside(tensor) and (fault := outside_fault(tensor, folder)):
            yield fault


def _nan(model: "onnx.ModelProto", folder: Path) -> Iterator[str]:
    for tensor in tensors(model.graph):
        if any(np.isnan(chunk).any() for chunk in _float_chunks(tensor, folder)):
            yield f"weight '{tensor.name}' holds NaN"


def _float_chunks(tensor: "onnx.TensorProto", folder: Path) -> Iterator[np.ndarray]:
    """Give the values of a tensor piece by piece; none where they cannot be NaN."""
    import onnx

    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    if dtype.name not in {"float16", "bfloat16", "float32", "float64"}:
        return
    if not is_outside(tensor):
        yield onnx.numpy_helper.to_array(tensor)
    elif outside_fault(tensor, folder) is None:
        said = {entry.key: entry.value for entry in tensor.external_data}
        with (folder / said["location"]).open("rb") as file:
            file.seek(int(said.get("offset", "0")))
            left = size_of(tensor)
            while left and (read := file.read(min(left, _CHUNK))):
                left -= len(read)
                yield np.frombuffer(read, dtype)


def size_of(tensor: "onnx.TensorProto") -> int:
    """Return the bytes that a tensor's elements take."""
    import onnx

    size = 1
    for dim in tensor.dims:
        size *= dim
    return size * int(onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize)


def external_files(model: "onnx.ModelProto", folder: Path) -> tuple[Path, ...]:
    """List the files that weights lie in.

    Raises:
        SourceError: One is missing, cut short or outside the folder.
    """
    outside = [tensor for tensor in tensors(model.graph) if is_outside(tensor)]
    if found := [fault for tensor in outside if (fault := outside_fault(tensor, folder))]:
        raise SourceError(f"{folder}: {'; '.join(found)}")
    names = (entry.value for t in outside for entry in t.external_data if entry.key == "location")
    return tuple(folder / name for name in dict.fromkeys(names))


def inline_functions(model: "onnx.ModelProto") -> "onnx.ModelProto":
    """Put the bodies of the file's own functions in the place of their calls."""
    import onnx.inliner

    return onnx.inliner.inline_local_functions(model) if model.functions else model
