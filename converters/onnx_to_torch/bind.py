"""What a function takes and gives, read from its signature: an operator is nothing else.

Positional parameters are the operator's inputs, in order; keyword-only ones are its attributes,
by their ONNX names and with ONNX's defaults. A `Literal`, written out or by its name in the
function's module, says which values of an attribute are supported. An input that is annotated
`Numbers` gets a list of numbers, `Axes` one of plain ints, `Sizes` a scalar or a list, all others a
tensor. A name that Python reserves has an underscore behind it. `outputs` and `captures` are told
how many there are.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_origin

from converters.onnx_to_torch.dtypes import NAMES


@dataclass(frozen=True)
class Form:
    """The form of a function.

    Attributes:
        inputs: Annotation of each positional parameter.
        required: How many of them have no default.
        variadic: Annotation of further inputs, where there may be any number.
        attributes: Annotation of each keyword-only parameter.
        mandatory: Attributes without a default.
        outputs: Annotation of each result; None where there may be any number.
    """

    inputs: tuple[str, ...]
    required: int
    variadic: str | None
    attributes: Mapping[str, str]
    mandatory: frozenset[str]
    outputs: tuple[str, ...] | None


@lru_cache(maxsize=1024)
def form_of(function: Callable[..., Any]) -> Form:
    """Read a function's form from its signature."""
    parameters = inspect.signature(function).parameters.values()
    empty = inspect.Parameter.empty
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    return Form(
        inputs=tuple(p.annotation for p in positional),
        required=sum(p.default is empty for p in positional),
        variadic=next((p.annotation for p in parameters if p.kind is p.VAR_POSITIONAL), None),
        attributes={p.name.rstrip("_"): _written_out(p.annotation, function) for p in keywords},
        mandatory=frozenset(p.name.rstrip("_") for p in keywords if p.default is empty),
        outputs=_results(function.__annotations__["return"]),
    )


def fault(form: Form, inputs: Sequence[bool], attributes: Mapping[str, Any]) -> str | None:
    """Say why a node does not fit a function, if it does not.

    Args:
        inputs: Whether each input of the node is there.
        attributes: Those that the node has.
    """
    if len(inputs) > len(form.inputs) and form.variadic is None:
        return f"{len(inputs)} inputs are not supported, only {len(form.inputs)}"
    if len(inputs) < form.required or not all(inputs[: form.required]):
        return f"the first {form.required} inputs are needed"
    for name, value in attributes.items():
        if name not in form.attributes:
            return f"attribute {name} is not supported"
        allowed = _allowed(form.attributes[name])
        values = value if isinstance(value, list) else [value]
        if allowed is not None and not all(each in allowed for each in values):
            return f"attribute {name} = {value!r} is not supported, only {list(allowed)}"
    if missing := sorted(form.mandatory - set(attributes) - COUNTS):
        return f"attribute {missing[0]} is missing"
    return None


#: What a function may want to be told of the node: how many outputs it has, and how many of the
#: last arguments are what inner graphs take from the outer one.
COUNTS = frozenset({"outputs", "captures"})


def _allowed(annotation: str) -> Collection[Any] | None:
    if annotation.startswith("ElementType"):
        return NAMES
    plain = annotation.removeprefix("list[")
    if not plain.startswith("Literal["):
        return None
    inside = plain.removeprefix("Literal[").partition("]")[0].rstrip(", ")
    values: tuple[Any, ...] = ast.literal_eval(f"({inside},)")
    return values


def _written_out(annotation: str, function: Callable[..., Any]) -> str:
    """Put each name of a `Literal` in the function's module into words."""
    known = function.__globals__

    def written(found: re.Match[str]) -> str:
        value = known.get(found[0])
        return repr(value).removeprefix("typing.") if get_origin(value) is Literal else found[0]

    return re.sub(r"\b[A-Z]\w+\b(?!\[)", written, annotation)


def _results(annotation: str) -> tuple[str, ...] | None:
    if not annotation.startswith("tuple["):
        return (annotation,)
    inside = annotation.removeprefix("tuple[").removesuffix("]")
    return None if "..." in inside else tuple(part.strip() for part in inside.split(","))
