"""The rows of one table in a file that a split writes: the rows themselves, or where they lie."""

import math
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from converters.checkpoints.safetensors_file import header
from converters.checkpoints.stored import Stored
from registry.errors import SourceError
from registry.signature import DType, Frozen

#: The key of a table in a file of its own.
ROWS = "rows"

#: Ending of a file that says where the rows lie.
PLACE = ".place"


class _Place(Frozen):
    file: str
    offset: int
    dtype: DType
    shape: tuple[int, ...]


def write_rows(
    file: Path, dtype: DType, shape: tuple[int, ...], pieces: Iterable[bytes | memoryview]
) -> None:
    """Write a safetensors file with one tensor, `rows`, piece by piece."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        stream.write(header(ROWS, dtype, shape, math.prod(shape) * dtype.bytes))
        stream.writelines(pieces)


def write_place(file: Path, stored: Stored) -> None:
    """Write where the rows lie in another file."""
    place = _Place(
        file=str(stored.file), offset=stored.offset, dtype=stored.dtype, shape=stored.shape
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(place.model_dump_json())


def read_place(file: Path) -> dict[str, Stored]:
    """Read where the rows lie, and see that they do.

    Raises:
        SourceError: The file that holds them is not there any more, or is shorter than it was.
    """
    try:
        place = _Place.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise SourceError(f"{file}: does not say where rows lie") from error
    stored = Stored(Path(place.file), place.offset, place.dtype, place.shape)
    size = stored.file.stat().st_size if stored.file.is_file() else 0
    if size < stored.offset + stored.nbytes:
        raise SourceError(
            f"{stored.file}: rows end at byte {stored.offset + stored.nbytes}, the file has"
            f" {size}. It was changed: run again"
        )
    return {ROWS: stored}
