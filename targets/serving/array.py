"""Read one array of a request, out of its JSON or out of the bytes behind it."""

from math import prod
from typing import Any

import numpy as np

from targets.serving.form import Field

_KINDS = {"f": "biuf", "i": "biu", "u": "biu", "b": "b"}  # what JSON may give for what is wanted


def read_array(
    entry: dict[str, Any], field: Field, raw: memoryview, faults: list[str]
) -> np.ndarray | None:
    """Take one input's data out of the JSON or out of its bytes."""
    where = field.name
    shape = _shape(entry, field, faults)
    if shape is None:
        return None
    parameters = entry.get("parameters")
    binary = isinstance(parameters, dict) and "binary_data_size" in parameters
    if binary == ("data" in entry):
        faults.append(f"{where}: send either data or binary_data_size")
        return None
    read = _from_bytes(raw, field, shape) if binary else _from_json(entry["data"], field, shape)
    if isinstance(read, str):
        faults.append(f"{where}: {read}")
        return None
    return read


def _shape(entry: dict[str, Any], field: Field, faults: list[str]) -> list[int] | None:
    """Read an entry's shape, if that and its datatype may be right."""
    where = field.name
    found = len(faults)
    datatype, shape = entry.get("datatype"), entry.get("shape")
    if datatype != field.datatype:
        faults.append(f"{where}: datatype {shorten(datatype)} should be {field.datatype}")
    if not isinstance(shape, list) or not all(
        type(dim) is int and 0 <= dim < 2**31 for dim in shape
    ):
        faults.append(f"{where}: shape {shorten(shape)} is not a list of sizes")
        return None
    if len(shape) != len(field.shape):
        faults.append(f"{where}: shape {shorten(shape)} should have {len(field.shape)} sizes")
    return shape if len(faults) == found else None


def _from_bytes(raw: memoryview, field: Field, shape: list[int]) -> np.ndarray | str:
    """Give the array, or what is wrong with its bytes."""
    wanted = prod(shape) * field.dtype.itemsize
    if len(raw) != wanted:
        return f"{field.datatype}{shape} takes {wanted} bytes, {len(raw)} were sent"
    array = np.frombuffer(raw, field.dtype.newbyteorder("<"))
    if field.dtype.kind == "b" and (array.view(np.uint8) > 1).any():
        return "a BOOL is a byte 0 or 1"
    return np.require(array, field.dtype, "A").reshape(shape)


def _from_json(data: object, field: Field, shape: list[int]) -> np.ndarray | str:
    """Give the array, or what is wrong with its numbers; nested and flat lists are the same."""
    if not isinstance(data, list):
        return "data is not a list"
    try:
        array = np.array(data) if data else np.empty(0, field.dtype)
    except ValueError:
        return "data is not rectangular"
    if array.dtype.kind not in _KINDS[field.dtype.kind]:
        return _misfit(data, field) or f"data holds something that is not {field.datatype}"
    if array.size != prod(shape) or (array.ndim > 1 and array.shape != tuple(shape)):
        return f"data has shape {list(array.shape)}, {shape} was announced"
    if field.dtype.kind in "iu" and array.size:
        limits = np.iinfo(field.dtype)
        if array.min() < limits.min or array.max() > limits.max:
            return _misfit(data, field) or f"data is beyond the range of {field.datatype}"
    return array.astype(field.dtype, copy=False).reshape(shape)


def _misfit(data: list[object], field: Field, where: str = "data") -> str | None:
    """Say where the first value stands that is none of the wanted type."""
    for at, value in enumerate(data):
        here = f"{where}[{at}]"
        if isinstance(value, list):
            if said := _misfit(value, field, here):
                return said
        elif not _is_one(value, field.dtype):
            return f"{here} is {shorten(value)}, which is not {field.datatype}"
    return None


def _is_one(value: object, dtype: np.dtype) -> bool:
    if dtype.kind == "b":
        return isinstance(value, bool)
    if dtype.kind == "f":
        return isinstance(value, int | float)
    limits = np.iinfo(dtype)
    return isinstance(value, int) and limits.min <= value <= limits.max


def shorten(value: object) -> str:
    """Show a value of the request, which may be of any length."""
    text = "null" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
