"""Ids that come as floats, which cannot count far."""

#: Up to here a float of the kind counts without gaps.
_EXACT = {"float32": 1 << 24, "float16": 1 << 11, "bfloat16": 1 << 8}


def float_fault(table: str, rows: int, dtype: str, name: str) -> str | None:
    """Say what is wrong with ids that are cast from an input, if that is too narrow for them."""
    limit = _EXACT.get(dtype, 0)
    if not limit or rows <= limit:
        return None
    return (
        f"ids of table {table} ({rows} rows) come in as {dtype} by the input {name}, which tells"
        f" ids apart up to {limit} alone, in the original as here: take them as int64"
    )
