"""Names of nodes and inputs: for messages, and as Python's."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from converters.onnx_to_torch.dtypes import torch_dtype
from registry.errors import ConversionError

if TYPE_CHECKING:
    import onnx


def title(node: onnx.NodeProto, version: int | None) -> str:
    """Name a node's operator, its version, and the node."""
    domain = f"{node.domain}::" if node.domain else ""
    name = node.name or f"that gives '{next(iter(node.output), '')}'"
    return f"operator {domain}{node.op_type}-{version} (node {name})"


def domain_of(said: str) -> str:
    """Return a domain as tables have it: the default one has two names."""
    return "" if said == "ai.onnx" else said


def identifier(name: str) -> str:
    """Make a name that can be a Python parameter's."""
    legal = re.sub(r"\W", "_", name, flags=re.ASCII)
    return legal if legal.isidentifier() and not keyword.iskeyword(legal) else f"value_{legal}"


def check_type(value: onnx.ValueInfoProto) -> None:
    """Refuse an input, or a sequence of tensors, of a type that torch has not."""
    kind = value.type
    while (field := kind.WhichOneof("value")) in ("sequence_type", "optional_type"):
        kind = getattr(kind, field).elem_type
    if field is not None and field != "tensor_type":
        raise ConversionError(f"input '{value.name}' is a {field}, which is not supported")
    try:
        if number := kind.tensor_type.elem_type:
            torch_dtype(number)
    except ConversionError as error:
        raise ConversionError(f"input '{value.name}': {error}") from error
