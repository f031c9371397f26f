"""What goes into a part and what comes out of it."""

import re
from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

#: A fixed size, or the name of a symbolic axis. "?" is an axis whose name the format does not keep.
Dim = int | str

ANY = "?"


class DType(StrEnum):
    """Element types, by numpy's names."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    INT64 = "int64"
    INT32 = "int32"
    INT16 = "int16"
    INT8 = "int8"
    UINT8 = "uint8"
    BOOL = "bool"

    @property
    def bytes(self) -> int:
        """Size of one element."""
        return 1 if self is DType.BOOL else int("".join(filter(str.isdigit, self))) // 8


class Frozen(BaseModel):
    """A record that crosses an edge: unknown keys are refused, nothing changes after.

    JSON has no infinity: it is written as a string, and read back as the number.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class Tensor(Frozen):
    """One input or output; `shape` mixes sizes with names of symbolic axes."""

    name: str = Field(min_length=1)
    dtype: DType
    shape: tuple[Dim, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


class Signature(Frozen):
    """The inputs and outputs of a part, in order."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...] = Field(min_length=1)

    def __str__(self) -> str:
        inputs = ", ".join(map(str, self.inputs))
        return f"({inputs}) -> ({', '.join(map(str, self.outputs))})"


class Axis(Frozen):
    """The range of a symbolic axis, both ends included.

    Attributes:
        multiple_of: All its sizes are, and both ends: 32 for networks that halve an image five
            times and double it again.
    """

    min: int = Field(default=1, ge=0)
    max: int = Field(default=1024, ge=1)
    multiple_of: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _ends_are_sizes(self) -> Self:
        if self.min % self.multiple_of or self.max % self.multiple_of:
            raise ValueError(
                f"both ends are multiples of {self.multiple_of}: say such a min and max"
            )
        return self

    def __str__(self) -> str:
        steps = f", multiples of {self.multiple_of}" if self.multiple_of > 1 else ""
        return f"{self.min} to {self.max}{steps}"

    @property
    def least(self) -> int:
        """The smallest size that is not 0."""
        return self.min or self.multiple_of

    def within(self, size: int) -> int:
        """Return the greatest size that is not above this one, or the least of all."""
        held = min(max(size, self.min), self.max)
        return held - held % self.multiple_of

    def holds(self, size: int) -> bool:
        """Tell whether it may have this size."""
        return self.within(size) == size


class Ids(Frozen):
    """An input that names rows of tables.

    Attributes:
        cardinality: Ids run from 0 to cardinality - 1; one number, or one for each
            column (the last axis) of the input.
        padding: The id that stands for "nothing here", if there is one.
    """

    cardinality: int | tuple[int, ...]
    padding: int | None = None


class Input(Tensor):
    """A user's input: a tensor and the values it may hold.

    Attributes:
        ids: Set when the input holds ids.
        offsets: Set when the input holds the starts of bags: the name of the input
            that it cuts into bags.
        includes_last: With `offsets`: the total length is the last entry.
        lengths: Set when the input holds how many ids each bag has: the name of the input
            that it cuts into bags.
        range: Lowest and highest value that inputs of the field have.
        missing: Set when floats may be NaN, which stands for a value that is not known.
    """

    ids: Ids | None = None
    offsets: str | None = None
    includes_last: bool = False
    lengths: str | None = None
    range: tuple[float, float] | None = None
    missing: bool = False

    @property
    def cuts(self) -> str | None:
        """Return the name of the input that this one cuts into bags, if it does."""
        return self.offsets or self.lengths


def same_but_unnamed(one: Signature, other: Signature) -> bool:
    """Compare two signatures where either may have lost the names of its axes.

    What an output's axis is called that comes of no axis of the inputs (`stateN_dim_0`) tells
    nothing of its size: the other signature may have found that.
    """
    named = _names(one) | _names(other)

    def alike(left: Tensor, right: Tensor, named: frozenset[str] | None = None) -> bool:
        return (
            (left.name, left.dtype) == (right.name, right.dtype)
            and len(left.shape) == len(right.shape)
            and all(_fits(*pair, named) for pair in zip(left.shape, right.shape, strict=True))
        )

    return (
        (len(one.inputs), len(one.outputs)) == (len(other.inputs), len(other.outputs))
        and all(map(alike, one.inputs, other.inputs))
        and all(alike(*pair, named) for pair in zip(one.outputs, other.outputs, strict=True))
    )


def _names(signature: Signature) -> frozenset[str]:
    """Return the names of the axes that inputs have."""
    dims = (dim for tensor in signature.inputs for dim in tensor.shape)
    return frozenset(dim for dim in dims if isinstance(dim, str) and dim != ANY)


def _fits(left: Dim, right: Dim, named: frozenset[str] | None) -> bool:
    if named is not None and any(_is_made_up(dim, named) for dim in (left, right)):
        return True
    if ANY in (left, right):
        return isinstance(left, str) and isinstance(right, str)
    return left == right


def _is_made_up(dim: Dim, named: frozenset[str]) -> bool:
    """Tell whether a name stands for no axis of the inputs, nor for what is worked out of one."""
    if isinstance(dim, int) or dim == ANY:
        return False
    return not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", dim) for name in named)


Precision = Literal["f32", "bf16", "f16", "i8"]

#: Of images: "auto" is left to the runtime.
Layout = Literal["auto", "contiguous", "channels_last"]

#: From a torch model to a runtime of torch: through ONNX, or as torch exported it.
Road = Literal["onnx", "torch"]
