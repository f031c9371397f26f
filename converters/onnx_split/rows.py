"""Where the rows of a stored matrix lie; what lies inside the model's file is written out."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.checkpoints.rows_file import PLACE, ROWS, write_place, write_rows
from converters.checkpoints.stored import CHUNK, Stored
from converters.onnx_models.faults import is_outside, size_of
from converters.split.variable import Variable
from registry.composition import Origin

if TYPE_CHECKING:
    import onnx

#: As other writers of ONNX do it, so that weights can be mapped.
_ALIGNED = 4096
_DATA = "model.data"


def find_or_write(
    variable: Variable, tensor: "onnx.TensorProto", source: Path, out: Path
) -> Origin:
    """Point to rows beside the model's file, or write those inside it to `origins/`.

    Args:
        source: The model's folder.
    """
    shape = (variable.rows, variable.dim)
    if is_outside(tensor):
        said = {entry.key: entry.value for entry in tensor.external_data}
        place = source / said["location"], int(said.get("offset", "0"))
        file = Path("origins") / f"{variable.name}{PLACE}"
        write_place(out / file, Stored(*place, variable.dtype, shape))
    else:
        file = Path("origins") / f"{variable.name}.safetensors"
        write_rows(out / file, variable.dtype, shape, _pieces(tensor))
    return Origin(table=variable.name, file=file.as_posix(), key=ROWS)


def write_folded(variable: Variable, rows: np.ndarray, out: Path) -> Origin:
    """Write rows that were worked out to `origins/`."""
    file = Path("origins") / f"{variable.name}.safetensors"
    shape = (variable.rows, variable.dim)
    write_rows(out / file, variable.dtype, shape, _chunks(rows))
    return Origin(table=variable.name, file=file.as_posix(), key=ROWS)


def copy_weights(model: "onnx.ModelProto", source: Path, out: Path) -> None:
    """Copy the weights of a piece that lie beside the model's file to `model.data`, in place."""
    outside = [tensor for tensor in model.graph.initializer if is_outside(tensor)]
    if not outside:
        return
    out.mkdir(parents=True, exist_ok=True)
    with (out / _DATA).open("wb") as stream:
        for tensor in outside:
            stream.write(bytes(-stream.tell() % _ALIGNED))
            start, size = stream.tell(), size_of(tensor)
            for piece in _outside_pieces(tensor, source):
                stream.write(piece)
            del tensor.external_data[:]
            for key, value in (("location", _DATA), ("offset", start), ("length", size)):
                tensor.external_data.add(key=key, value=str(value))


def _pieces(tensor: "onnx.TensorProto") -> Iterator[memoryview]:
    import onnx

    yield from _chunks(onnx.numpy_helper.to_array(tensor))


def _chunks(array: np.ndarray) -> Iterator[memoryview]:
    data = np.ascontiguousarray(array).reshape(-1).view("u1").data
    for start in range(0, len(data), CHUNK):
        yield data[start : start + CHUNK]


def _outside_pieces(tensor: "onnx.TensorProto", source: Path) -> Iterator[bytes]:
    said = {entry.key: entry.value for entry in tensor.external_data}
    left = size_of(tensor)
    with (source / said["location"]).open("rb") as file:
        file.seek(int(said.get("offset", "0")))
        while left and (piece := file.read(min(left, CHUNK))):
            left -= len(piece)
            yield piece
