"""Which tables are cut out of a model."""

from typing import Literal

from pydantic import Field

from registry.signature import Frozen


class SplitOptions(Frozen):
    """The job's `split` block.

    Attributes:
        tables: `auto` cuts every table that is big enough, `none` cuts none, a list of
            name patterns (fnmatch) cuts what matches, whatever its size.
        keep: Patterns of tables that stay in the dense part.
        min_rows, min_bytes: `auto` cuts a table that reaches either.
        shard_bytes: Largest size of a shard of a table, in bytes, before the header.
    """

    tables: Literal["auto", "none"] | tuple[str, ...] = "auto"
    keep: tuple[str, ...] = ()
    min_rows: int = Field(default=1000, ge=1)
    min_bytes: int = Field(default=1 << 20, ge=1)
    shard_bytes: int = Field(default=64 << 20, ge=1 << 12)
