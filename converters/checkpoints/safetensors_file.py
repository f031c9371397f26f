"""The safetensors format: a JSON header, then the tensors, uncompressed."""

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from converters.checkpoints.stored import Stored
from registry.errors import SourceError
from registry.signature import DType, Frozen

#: Bytes of a page of memory on x86-64, and on most other machines.
PAGE = 4096

#: The format's own limit.
_HEADER_LIMIT = 100_000_000
_NAMES: dict[str, DType] = {
    "F64": DType.FLOAT64,
    "F32": DType.FLOAT32,
    "F16": DType.FLOAT16,
    "BF16": DType.BFLOAT16,
    "I64": DType.INT64,
    "I32": DType.INT32,
    "I16": DType.INT16,
    "I8": DType.INT8,
    "U8": DType.UINT8,
    "BOOL": DType.BOOL,
}


class _Entry(Frozen):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


_HEADER = TypeAdapter(dict[str, _Entry])


def read_header(file: Path) -> dict[str, Stored]:
    """Say where each tensor of a safetensors file lies.

    Raises:
        SourceError: The file is cut short, or its header does not describe it.
    """
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if length > min(size - 8, _HEADER_LIMIT):
                raise SourceError(
                    f"{file}: is cut short, or is no safetensors file: its header should take"
                    f" {length} bytes, the file has {size}. Copy or download it again (git lfs"
                    " pull, where Git LFS keeps it)"
                )
            text = stream.read(length)
    except OSError as error:
        raise SourceError(f"{file}: cannot be read: {error.strerror}") from error
    return {
        key: _stored(file, key, entry, 8 + length, size)
        for key, entry in _parse(file, text).items()
    }


def header(name: str, dtype: DType, shape: tuple[int, ...], size: int) -> bytes:
    """Write the header of a file with one tensor, whose data starts at a page of its own.

    So files whose data fill whole pages can be mapped side by side, as if they were one.
    """
    code = next(code for code, known in _NAMES.items() if known is dtype)
    entry = {"dtype": code, "shape": list(shape), "data_offsets": [0, size]}
    text = json.dumps({name: entry}, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % PAGE)
    return len(text).to_bytes(8, "little") + text


def _parse(file: Path, text: bytes) -> dict[str, _Entry]:
    try:
        said = json.loads(text)
        if isinstance(said, dict):
            said.pop("__metadata__", None)
        return _HEADER.validate_python(said)
    except (ValueError, RecursionError, ValidationError) as error:
        raise SourceError(
            f"{file}: is no safetensors file, or a damaged one: its header cannot be read"
        ) from error


def _stored(file: Path, key: str, entry: _Entry, start: int, size: int) -> Stored:
    if entry.dtype not in _NAMES:
        raise SourceError(
            f"{file}: '{key}' holds {entry.dtype}: use one of {', '.join(sorted(_NAMES))}"
        )
    first, last = entry.data_offsets
    stored = Stored(file, start + first, _NAMES[entry.dtype], entry.shape)
    lies = first < 0 or any(dim < 0 for dim in entry.shape) or last - first != stored.nbytes
    if lies:
        raise SourceError(
            f"{file}: is damaged: '{key}' is said to be {entry.dtype}{list(entry.shape)} in"
            f" bytes {first} to {last}, which does not add up"
        )
    if start + last > size:
        raise SourceError(
            f"{file}: is cut short: '{key}' ends at byte {start + last}, the file has {size}."
            " Copy or download it again"
        )
    return stored
