"""What a request to a version has to look like, laid out once so that checking one is cheap."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from registry.errors import ServeError
from registry.manifest import Draft
from registry.signature import ANY, Axis, Dim, DType, Input, Tensor

#: The protocol's names for element types. It has none that numpy could hold for bfloat16.
DATATYPES: Mapping[DType, str] = {
    DType.FLOAT64: "FP64",
    DType.FLOAT32: "FP32",
    DType.FLOAT16: "FP16",
    DType.INT64: "INT64",
    DType.INT32: "INT32",
    DType.INT16: "INT16",
    DType.INT8: "INT8",
    DType.UINT8: "UINT8",
    DType.BOOL: "BOOL",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One input or output, by the protocol's names."""

    name: str
    datatype: str
    dtype: np.dtype
    shape: tuple[Dim, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """The inputs and outputs of a version, by name and in order.

    Attributes:
        declared: The inputs as the version declares them.
        batch: The symbolic axis along which requests may be joined, or None where the
            model has no such axis.
    """

    inputs: Mapping[str, Field]
    outputs: Mapping[str, Field]
    declared: tuple[Input, ...]
    axes: Mapping[str, Axis]
    batch: str | None


def read_form(draft: Draft) -> Form:
    """Lay out what a version takes and gives.

    Raises:
        ServeError: A tensor has an element type that the protocol cannot carry.
    """
    inputs = {tensor.name: _field(tensor) for tensor in draft.signature.inputs}
    outputs = {tensor.name: _field(tensor) for tensor in draft.signature.outputs}
    return Form(inputs, outputs, draft.inputs, draft.axes, _batch_axis(draft))


def _field(tensor: Tensor) -> Field:
    if tensor.dtype not in DATATYPES:
        raise ServeError(
            f"{tensor.name} is {tensor.dtype}, which the server cannot carry. "
            "Let the model take and give float32 instead"
        )
    datatype = DATATYPES[tensor.dtype]
    return Field(tensor.name, datatype, np.dtype(tensor.dtype.value), tensor.shape)


def _batch_axis(draft: Draft) -> str | None:
    """Name the axis that is first in every input and output, and nowhere else.

    Bags that are cut into bags share their first axis with nothing: offsets count
    from the start of a request, so two requests cannot simply be joined.
    """
    tensors = (*draft.signature.inputs, *draft.signature.outputs)
    firsts = {tensor.shape[0] if tensor.shape else 0 for tensor in tensors}
    others = {dim for tensor in tensors for dim in tensor.shape[1:]}
    cut_into_bags = any(entry.cuts for entry in draft.inputs)
    if len(firsts) != 1 or not draft.signature.inputs or cut_into_bags:
        return None
    (first,) = firsts
    if not isinstance(first, str) or first == ANY or first in others:
        return None
    return first
