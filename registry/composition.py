"""A model as parts that compose back to it: ids → lookups → dense."""

from typing import Literal, Self

from pydantic import Field, model_validator

from registry.format import Format
from registry.signature import DType, Frozen, Input, Signature

#: The name of the dense part, and of what comes before the lookups and after the dense part.
DENSE = "dense"
PREPROCESS = "preprocess"
POSTPROCESS = "postprocess"
AROUND = (PREPROCESS, POSTPROCESS)

#: How rows are stored: f32 stands for what the model holds, f16 and i8 are narrower.
RowFormat = Literal["f32", "f16", "i8"]

#: What an id that is no row of its table gives: an error, a vector of zeros, one row of the
#: table, or the row of its remainder by the number of rows, which is never negative.
UnknownIds = Literal["error", "zero", "row", "modulo"]

#: Bytes that the scale and the offset of an i8 row take, behind its elements.
SCALE_BYTES = 8


class Artifact(Frozen):
    """The files of one part in one format.

    Attributes:
        folder: Where the files lie, relative to the version's folder.
        maker: What wrote the files, with its version: 'torch.onnx (dynamo) 2.13.0'; empty where
            a file from elsewhere does not say.
        ranges: The least and the greatest integer that inputs may hold which are rows of integer
            tables, or come from another part: of users' inputs the job says it.
    """

    part: str
    format: Format
    folder: str
    signature: Signature
    maker: str
    ranges: dict[str, tuple[int, int]] = Field(default_factory=dict)


class Shard(Frozen):
    """Rows `start` to `start + rows` of a table: one safetensors file with one tensor, `rows`."""

    file: str
    start: int = Field(ge=0)
    rows: int = Field(ge=1)


class Table(Frozen):
    """One embedding matrix of shape [rows, dim].

    Attributes:
        keys: The names it has in the model's checkpoint; several where it is shared.
        dtype: Of the rows in the model.
        fold: The expression that was applied to it offline, if any.
        shards: In row order, without gaps. Empty until the table is written.
        rows_as: How the shards hold the rows. An i8 row is `dim` unsigned bytes, then its scale
            and its offset, each a little-endian float32.
        default_row: What an unknown id gives where `unknown` is `row`.
    """

    name: str
    rows: int = Field(ge=1)
    dim: int = Field(ge=1)
    dtype: DType
    keys: tuple[str, ...]
    fold: str | None = None
    shards: tuple[Shard, ...] = ()
    rows_as: RowFormat = "f32"
    unknown: UnknownIds = "error"
    default_row: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _has_its_default_row(self) -> Self:
        check_default_row(self.unknown, self.default_row)
        if self.default_row is not None and self.default_row >= self.rows:
            raise ValueError(f"default_row: {self.default_row} is none of {self.rows} rows")
        return self

    @property
    def unknown_said(self) -> str:
        """Say in a word or two what unknown ids give."""
        return self.unknown if self.default_row is None else f"{self.unknown} {self.default_row}"

    @property
    def stored_dtype(self) -> DType:
        """Return the dtype of the elements in the shards."""
        return {"f32": self.dtype, "f16": DType.FLOAT16, "i8": DType.UINT8}[self.rows_as]

    @property
    def stored_width(self) -> int:
        """Return the number of elements that a row has in the shards."""
        return self.dim + SCALE_BYTES if self.rows_as == "i8" else self.dim

    @property
    def row_bytes(self) -> int:
        """Return the size of a row in the shards."""
        return self.stored_width * self.stored_dtype.bytes


def check_default_row(unknown: UnknownIds, default_row: int | None) -> None:
    """Refuse a default row that is missing, or that nothing would give.

    Raises:
        ValueError: `default_row` and `unknown: row` come without one another.
    """
    if (unknown == "row") != (default_row is not None):
        raise ValueError("unknown: row and default_row: NUMBER go together")


class Lookup(Frozen):
    """One read of one table: rows in, vectors out.

    An `embedding` gives ids.shape + [dim]; a `bag` gives [bags, dim], one vector for
    each row of 2-D ids, or for each entry of `offsets` where ids are 1-D.

    Attributes:
        output: Names the vectors: for the dense part's input that takes them, or for what
            reads rows of an integer table as ids.
        ids, offsets, weights: Names of user inputs, of outputs of the ids programs, or of what
            a lookup of an integer table gives.
        padding: In a bag, ids of this value do not count. An embedding returns the
            stored row whatever this says.
        dtype: Of the vectors.
    """

    output: str
    table: str
    kind: Literal["embedding", "bag"]
    mode: Literal["sum", "mean", "max"] | None = None
    ids: str
    offsets: str | None = None
    includes_last: bool = False
    weights: str | None = None
    padding: int | None = None
    dtype: DType


class Kept(Frozen):
    """A table that stays in the dense part, and why."""

    table: str
    rows: int
    dim: int
    bytes: int
    why: str


class Origin(Frozen):
    """Where the rows of a table come from.

    Attributes:
        file: A safetensors or torch checkpoint, or a file that the split wrote itself.
            Absolute, or relative to the split's folder.
    """

    table: str
    file: str
    key: str


class Vocabulary(Frozen):
    """The words of an input that was text: the model takes the ids that they stand for.

    Attributes:
        file: A JSON object of ids by word, relative to the version's folder.
        words: How many there are.
        unknown: The id of a word that is not in there; None where such words are hashed.
    """

    input: str
    file: str
    words: int
    unknown: int | None


class Remark(Frozen):
    """A warning or remark of a tool, for the report."""

    by: str
    text: str


class Split(Frozen):
    """What the split found and cut: `split.json` in the split's folder.

    Attributes:
        signature: Of the whole model.
        ids: The ids program as ONNX, or None where the inputs are the ids.
        hops: Further ids programs, in order: they take rows of integer tables as well.
        dense: The rest of the model.
        origins: One for each table.
        vocabularies: Of inputs that were text in the model as it came.
        preprocess: What makes the model's inputs of users' inputs; None where these are the same.
        handed: The model's inputs that it makes.
        postprocess: What makes answers of the dense part's, as ONNX.
        nodes_before, nodes_after: Number of graph nodes by operator.
    """

    signature: Signature
    ids: Artifact | None
    dense: Artifact
    tables: tuple[Table, ...]
    lookups: tuple[Lookup, ...]
    kept: tuple[Kept, ...]
    origins: tuple[Origin, ...]
    nodes_before: dict[str, int]
    nodes_after: dict[str, int]
    remarks: tuple[Remark, ...] = ()
    vocabularies: tuple[Vocabulary, ...] = ()
    hops: tuple[Artifact, ...] = ()
    preprocess: Artifact | None = None
    handed: tuple[Input, ...] = ()
    postprocess: Artifact | None = None

    @property
    def id_programs(self) -> tuple[Artifact, ...]:
        """Return all that computes ids, in order."""
        return (*((self.ids,) if self.ids else ()), *self.hops)
