"""Have torch map the weights of a `.pt2` file, where it would read them into memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.checkpoints.plain_records import can_be_mapped

if TYPE_CHECKING:
    import torch


class _Records:
    """Torch's reader of a zip archive, whose tensors are mapped, copy on write."""

    def __init__(self, reader: "torch._C.PyTorchFileReader", file: Path) -> None:
        self._reader = reader
        self._file = file

    def __getattr__(self, name: str) -> object:
        """Leave all else to torch."""
        return getattr(self._reader, name)

    def get_storage_from_record(
        self, name: str, numel: int, dtype: "torch.dtype"
    ) -> "torch.Tensor":
        """Map a record: its pages are read when they are used, and never written."""
        import torch

        offset, size = self._reader.get_record_offset(name), numel * dtype.itemsize
        if offset + size > self._file.stat().st_size:
            raise ValueError(f"{name} is cut short")
        return torch.from_numpy(np.memmap(self._file, np.uint8, "c", offset, (size,)))


@contextmanager
def mapping_weights(file: Path) -> Iterator[None]:
    """Map what torch loads of this file within; one that was compressed is read as ever."""
    from torch.export.pt2_archive import _package

    before = _package.PT2ArchiveReader

    def open_archive(path: str) -> object:
        reader = before(path)
        reader.archive_file = _Records(reader.archive_file, file)
        return reader

    if not can_be_mapped(file):
        yield
        return
    _package.PT2ArchiveReader = open_archive
    try:
        yield
    finally:
        _package.PT2ArchiveReader = before
