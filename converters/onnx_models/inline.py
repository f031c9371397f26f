"""Which weights of an ONNX model lie beside its file, and which in it."""

from pathlib import Path
from typing import TYPE_CHECKING

from converters.onnx_models.faults import is_outside, outside_fault, size_of
from converters.onnx_models.files import tensors
from registry.errors import SourceError

if TYPE_CHECKING:
    import onnx

#: Bytes from which on a weight lies beside the file. Integers stay inside up to a larger
#: size: runtimes have to see those that shapes are computed from.
_OUTSIDE = 1 << 10
_OUTSIDE_INTEGERS = 1 << 16


def belongs_outside(size: int, *, integer: bool) -> bool:
    """Tell whether a weight of so many bytes lies beside the file."""
    return size >= (_OUTSIDE_INTEGERS if integer else _OUTSIDE)


def bring_in(model: "onnx.ModelProto", folder: Path) -> None:
    """Read small weights from beside the file into the model, in place.

    Not by `onnx.external_data_helper`: that refuses files with links, as caches have them.

    Raises:
        SourceError: A weight is missing, cut short or outside the folder.
    """
    import onnx

    for tensor in tensors(model.graph):
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).kind
        if is_outside(tensor) and not belongs_outside(size_of(tensor), integer=kind in "iub"):
            tensor.raw_data = _read(tensor, folder)
            tensor.data_location = onnx.TensorProto.DEFAULT
            del tensor.external_data[:]


def _read(tensor: "onnx.TensorProto", folder: Path) -> bytes:
    if fault := outside_fault(tensor, folder):
        raise SourceError(f"{folder}: {fault}")
    said = {entry.key: entry.value for entry in tensor.external_data}
    with (folder / said["location"]).open("rb") as file:
        file.seek(int(said.get("offset", "0")))
        data: bytes = file.read(size_of(tensor))
    return data
