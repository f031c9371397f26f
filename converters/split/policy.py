"""Which tables are cut out of a model."""

from typing import Literal, Self

from pydantic import Field, model_validator

from registry.composition import RowFormat, UnknownIds, check_default_row
from registry.signature import Frozen


class RowRule(Frozen):
    """How rows of some tables are stored, and what ids give that are none of them.

    Attributes:
        tables: Name patterns (fnmatch) of tables that are cut out; all of them if not given.
        format: `f32` stores rows as the model holds them, `f16` half as wide, `i8` a byte an
            element, with a scale and an offset a row.
        unknown: What an unknown id gives: `error` refuses the request, `zero` is a vector of
            zeros, `row` is the row `default_row`, `modulo` is the remainder by the number of rows.
    """

    tables: tuple[str, ...] = Field(default=("*",), min_length=1)
    format: RowFormat = "f32"
    unknown: UnknownIds = "error"
    default_row: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _has_its_default_row(self) -> Self:
        check_default_row(self.unknown, self.default_row)
        return self


class PartRule(Frozen):
    """A named part of the dense part.

    Attributes:
        until: Name patterns (fnmatch) of the nodes that it ends with: module paths of a torch
            model, or names of nodes or values of the graph. It has all that these are computed
            from and no part before it has. The last part has what is left, and no `until`.
    """

    name: str = Field(pattern="^[a-z0-9][a-z0-9._-]*$", max_length=64)
    until: tuple[str, ...] = ()


class SplitOptions(Frozen):
    """The job's `split` block.

    Attributes:
        tables: `auto` cuts every table that is big enough, and those that are read by bags;
            `none` cuts none, a list of name patterns (fnmatch) cuts what matches.
        keep: Patterns of tables that stay in the dense part.
        min_rows, min_bytes: `auto` cuts a table that reaches either.
        tied: What becomes of a table that is used densely as well (a tied output projection): its
            lookups are cut and a copy stays (`share`), it stays whole (`keep`), or the job fails.
        shard_bytes: Largest size of a shard of a table, in bytes, before the header.
        rows: Of the rules that name a table the first counts. Without one, rows are stored as the
            model holds them, and unknown ids are refused.
        parts: Cuts the dense part, in the order given; without it, it stays whole.
    """

    tables: Literal["auto", "none"] | tuple[str, ...] = "auto"
    keep: tuple[str, ...] = ()
    min_rows: int = Field(default=1000, ge=1)
    min_bytes: int = Field(default=1 << 20, ge=1)
    tied: Literal["share", "keep", "error"] = "share"
    shard_bytes: int = Field(default=64 << 20, ge=1 << 12)
    rows: tuple[RowRule, ...] = ()
    parts: tuple[PartRule, ...] = ()
