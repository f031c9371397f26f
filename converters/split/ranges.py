"""Which integers the dense part is given that are no inputs: rows of integer tables."""

from collections.abc import Iterable
from pathlib import Path

from converters.checkpoints.checkpoint import stored_rows
from converters.checkpoints.stored import chunks
from registry.composition import Lookup, Origin, Table
from registry.signature import DType, Signature


def ranges_of(
    lookups: Iterable[Lookup],
    part: Signature,
    tables: Iterable[Table],
    origins: Iterable[Origin],
    root: Path,
) -> dict[str, tuple[int, int]]:
    """Read the least and the greatest integer of each integer table that a part takes rows of.

    Args:
        root: What a relative `origin.file` is relative to.
    """
    taken = {tensor.name for tensor in part.inputs}
    whole = {table.name for table in tables if table.dtype in (DType.INT64, DType.INT32)}
    places = {origin.table: origin for origin in origins}
    wanted = [one for one in lookups if one.output in taken and one.table in whole]
    read = {name: _range(places[name], root) for name in dict.fromkeys(w.table for w in wanted)}
    return {lookup.output: read[lookup.table] for lookup in wanted}


def _range(origin: Origin, root: Path) -> tuple[int, int]:
    ends = [(int(chunk.min()), int(chunk.max())) for chunk in chunks(stored_rows(origin, root))]
    return min(low for low, _ in ends), max(high for _, high in ends)
