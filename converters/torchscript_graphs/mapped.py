"""Load a TorchScript file with its large tensors mapped, where torch would read them into memory.

Torch reads a copy of the file in which each large record is only a mark. The weights that have
such marks are given their bytes in the file itself, before anything runs. Constants of the code,
as `torch.jit.freeze` makes of weights, are read into memory: torch compares them as it loads.
"""

import ctypes
import secrets
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from converters.checkpoints.plain_records import plain_records
from converters.checkpoints.stored import Stored
from converters.dtypes import dtype_of_torch
from converters.torchscript_graphs.records import read_by_weights

if TYPE_CHECKING:
    import torch

#: Bytes from which on a record is mapped.
LEAST = 1 << 20

_MARK = 16


@dataclass(frozen=True)
class _Record:
    """Where a tensor's bytes lie in the file, and what stands for them in the copy."""

    offset: int
    size: int
    mark: bytes


@dataclass(frozen=True)
class Mapped:
    """A script, and where its large tensors lie.

    Attributes:
        places: By the names of parameters and buffers.
    """

    script: "torch.jit.ScriptModule"
    places: Mapping[str, Stored]


def load_mapped(file: Path) -> Mapped:
    """Load a file of torch.jit.save; as torch does, where its large tensors cannot be mapped.

    Raises:
        RuntimeError: Torch cannot load it.
    """
    records = _large_records(file)
    if records:
        with TemporaryDirectory() as scratch:
            script = _load(_write_marked(file, records, Path(scratch)))
        homes = _give_bytes(script, file, records)
        if homes is not None:
            return Mapped(script, _places(script, file, homes))
        del script
    return Mapped(_load(file), {})


def _load(file: Path) -> "torch.jit.ScriptModule":
    import torch

    return torch.jit.load(str(file), map_location="cpu")


def _large_records(file: Path) -> dict[str, _Record]:
    import torch

    reader = torch._C.PyTorchFileReader(str(file))
    as_it_is = plain_records(file)
    found = {}
    for name in read_by_weights(reader):
        offset, size = int(reader.get_record_offset(name)), int(reader.get_record_size(name))
        if name in as_it_is and size >= LEAST and offset + size <= file.stat().st_size:
            found[name] = _Record(offset, size, secrets.token_bytes(_MARK))
    return found


def _write_marked(file: Path, records: Mapping[str, _Record], folder: Path) -> Path:
    """Copy what torch's reader finds in the file, with marks for large records."""
    import torch

    reader = torch._C.PyTorchFileReader(str(file))
    copy = folder / "marked.ts"
    with zipfile.ZipFile(copy, "w") as archive:
        for name in reader.get_all_records():
            record = records.get(name)
            archive.writestr(f"marked/{name}", record.mark if record else reader.get_record(name))
    return copy


def _give_bytes(
    script: "torch.jit.ScriptModule", file: Path, records: Mapping[str, _Record]
) -> dict[int, int] | None:
    """Let all tensors with marks have the file's bytes.

    Returns:
        The offset in the file of each storage, by its address; None where a tensor was not found.
    """
    import torch
    from torch.multiprocessing.reductions import StorageWeakRef

    by_mark = {record.mark: record for record in records.values()}
    given: dict[bytes, torch.UntypedStorage] = {}
    marked: list[StorageWeakRef] = []
    for _, tensor in _named(script):
        mark = _mark_of(tensor)
        if mark in by_mark:
            marked.append(StorageWeakRef(tensor.untyped_storage()))
            if mark not in given:
                given[mark] = _map(file, by_mark[mark])
            with torch.no_grad():
                place = (tensor.storage_offset(), tensor.size(), tensor.stride())
                tensor.set_(given[mark], *place)
    if len(given) < len(records) or not all(one.expired() for one in marked):
        return None
    return {storage.data_ptr(): by_mark[mark].offset for mark, storage in given.items()}


def _mark_of(tensor: "torch.Tensor") -> bytes:
    """Read what a large storage begins with; nothing else of it may be there."""
    storage = tensor.untyped_storage()
    large = storage.nbytes() >= LEAST and tensor.device.type == "cpu"
    return ctypes.string_at(storage.data_ptr(), _MARK) if large else b""


def _map(file: Path, record: _Record) -> "torch.UntypedStorage":
    """Map a record: its pages are read when they are used, and never written."""
    import torch

    data = np.memmap(file, np.uint8, "c", record.offset, (record.size,))
    return torch.from_numpy(data).untyped_storage()


def _named(script: "torch.jit.ScriptModule") -> Iterable[tuple[str, "torch.Tensor"]]:
    yield from script.named_parameters()
    yield from script.named_buffers()


def _places(
    script: "torch.jit.ScriptModule", file: Path, homes: Mapping[int, int]
) -> dict[str, Stored]:
    found = {}
    for name, tensor in _named(script):
        offset = homes.get(tensor.untyped_storage().data_ptr())
        if offset is not None:
            first = offset + tensor.storage_offset() * tensor.element_size()
            steps = None if tensor.is_contiguous() else tuple(tensor.stride())
            dtype = dtype_of_torch(tensor.dtype)
            found[name] = Stored(file, first, dtype, tuple(tensor.shape), steps)
    return found
