"""`.pt2` files of torch.export: where their tensors lie, found without loading the program."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from converters.checkpoints.plain_records import can_be_mapped
from converters.checkpoints.stored import Stored
from converters.dtypes import dtype_of_torch
from registry.errors import SourceError

if TYPE_CHECKING:
    import torch

#: The lists of tensors, and the folders that these lie in, for the program that we read.
_LISTS = {
    "data/weights/model_weights_config.json": "data/weights/",
    "data/constants/model_constants_config.json": "data/constants/",
}


class _Size(BaseModel):
    as_int: int


class _Meta(BaseModel):
    dtype: int
    sizes: list[_Size]
    strides: list[_Size]
    storage_offset: _Size


class _Payload(BaseModel):
    path_name: str
    use_pickle: bool = False
    tensor_meta: _Meta | None = None


class _List(BaseModel):
    config: dict[str, _Payload]


def read_tensors(file: Path) -> dict[str, Stored]:
    """Say where each tensor lies that can be mapped, by the name that the program gives it.

    Raises:
        SourceError: The file is damaged, or no program of today's torch.
    """
    import torch

    try:
        reader = torch._C.PyTorchFileReader(str(file))
        if not can_be_mapped(file):
            return {}
        found = {
            name: stored
            for list_, folder in _LISTS.items()
            if reader.has_record(list_)
            for name, payload in _List.model_validate_json(reader.get_record(list_)).config.items()
            if (stored := _stored(file, reader, folder, payload)) is not None
        }
    except (RuntimeError, ValidationError, OSError) as error:
        raise SourceError(f"{file}: is cut short, or not a torch.export program") from error
    return found


def _stored(
    file: Path, reader: "torch._C.PyTorchFileReader", folder: str, payload: _Payload
) -> Stored | None:
    """Say where a tensor lies; None for one that is not plain numbers within its record."""
    meta, record = payload.tensor_meta, folder + payload.path_name
    if meta is None or payload.use_pickle or not reader.has_record(record):
        return None
    shape = tuple(size.as_int for size in meta.sizes)
    steps = tuple(size.as_int for size in meta.strides)
    dtype = _dtype(meta.dtype)
    if dtype is None or len(shape) != len(steps) or min((0, *shape, *steps)) < 0:
        return None
    first = meta.storage_offset.as_int * dtype.itemsize
    stored = Stored(
        file=file,
        offset=int(reader.get_record_offset(record)) + first,
        dtype=dtype_of_torch(dtype),
        shape=shape,
        strides=None if _in_row_order(shape, steps) else steps,
    )
    inside = first >= 0 and first + stored.span <= reader.get_record_size(record)
    return stored if inside and stored.offset + stored.span <= file.stat().st_size else None


def _in_row_order(shape: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    wanted = [math.prod(shape[at + 1 :]) for at in range(len(shape))]
    return all(
        size == 1 or step == want for size, step, want in zip(shape, steps, wanted, strict=True)
    )


def _dtype(code: int) -> "torch.dtype | None":
    """Translate the number that a `.pt2` file has for a type; None for one that we do not store."""
    from torch._export.serde import schema, serialize

    try:
        dtype: torch.dtype = serialize.deserialize_scalar_type(schema.ScalarType(code))
        dtype_of_torch(dtype)
    except (ValueError, KeyError, SourceError):
        return None
    return dtype
