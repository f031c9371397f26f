"""Where the rows of a table come from; what no checkpoint holds is written here."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from converters.checkpoints import rows_file
from converters.dtypes import dtype_of_torch
from converters.split.body import Body
from converters.split.fold import evaluate, memory_of
from converters.split.matrices import Matrix
from registry.composition import Origin

if TYPE_CHECKING:
    import torch

_CHUNK = 16 << 20


def find_or_write(
    matrix: Matrix, body: Body, out: Path, find_origin: Callable[[str], Origin | None]
) -> Origin:
    """Point to a table's rows in the checkpoint, or write them to `origins/`.

    Raises:
        SplitError: An expression of weights cannot be computed.
    """
    if matrix.fold is None:
        for key in matrix.keys:
            if found := find_origin(key):
                return found.model_copy(update={"table": matrix.name})
    else:
        body.remark(
            f"table {matrix.name} is {matrix.fold}: worked out once, here, which takes up to"
            f" {memory_of(matrix.node, body)} bytes of memory, and {matrix.bytes} bytes on disk;"
            " new weights need it done again"
        )
    file = Path("origins") / f"{matrix.name}.safetensors"
    rows = evaluate(matrix.node, body).reshape(matrix.rows, matrix.dim)
    write_rows(rows, out / file)
    return Origin(table=matrix.name, file=file.as_posix(), key=rows_file.ROWS)


def write_rows(rows: "torch.Tensor", file: Path) -> None:
    """Write a safetensors file with one tensor, `rows`, a chunk of rows at a time."""
    rows_file.write_rows(file, dtype_of_torch(rows.dtype), tuple(rows.shape), _pieces(rows))


def _pieces(rows: "torch.Tensor") -> Iterator[bytes]:
    import torch

    step = max(1, _CHUNK // max(1, math.prod(rows.shape[1:]) * rows.element_size()))
    for start in range(0, len(rows), step):
        chunk = rows[start : start + step].detach().contiguous()
        yield chunk.view(torch.uint8).numpy().tobytes()
