"""A TensorFlow model as one graph without calls; its variables stay beside it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Operations that change nothing.
PASSING = ("Identity", "StopGradient", "PreventGradient")


@dataclass(frozen=True)
class Graph:
    """One graph of operations.

    Attributes:
        function: What it can be pruned from: a wrapped function of TensorFlow's.
        inputs, outputs: Tensors by their names in the model.
        variables: By the name of the tensor that stands for one in the graph.
        owner: What the variables belong to: they live as long as it does.
    """

    function: Any
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    variables: Mapping[str, Any]
    owner: object

    def resource(self, name: str) -> Any:  # noqa: ANN401 - untyped
        """Return what a tensor stands for: the handle of a variable or of a lookup table."""
        return next(there for there, here in self.function.graph.captures if here.name == name)

    def part(self, feeds: Iterable[Any], fetches: Iterable[Any]) -> Any:  # noqa: ANN401 - untyped
        """Return the function from some of its tensors to others."""
        return self.function.prune(feeds=list(feeds), fetches=list(fetches))


def inline(
    concrete: Any,  # noqa: ANN401 - untyped
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    owner: object,
) -> Graph:
    """Make one graph of a function and of all that it calls.

    Args:
        inputs, outputs: Tensors of the function, by name.
    """
    import tensorflow as tf
    from tensorflow.python.framework import convert_to_constants

    # TensorFlow has no public way to this; the toolchain pins the version that has this one.
    flat = convert_to_constants._run_inline_graph_optimization(
        concrete, lower_control_flow=False, aggressive_inlining=True
    )
    for node in flat.node:
        # What is done for its effect, and not for a value, has none on an answer.
        node.input[:] = [name for name in node.input if not name.startswith("^")]
    pairs = list(zip(concrete.captured_inputs, concrete.graph.internal_captures, strict=True))
    variables = {id(variable.handle): variable for variable in concrete.variables}

    def held(here: Any, outer: Any) -> Any:  # noqa: ANN401 - untyped
        """Keep variables and lookup tables outside; what else is captured is a constant."""
        known = outer.dtype == tf.resource
        return here.capture(outer) if known else tf.constant(outer.numpy())

    def build() -> None:
        here = tf.compat.v1.get_default_graph()
        mapped = {inner.name: held(here, outer) for outer, inner in pairs}
        tf.graph_util.import_graph_def(flat, input_map=mapped, name="")

    function = tf.compat.v1.wrap_function(build, [])
    find = function.graph.get_tensor_by_name
    return Graph(
        function=function,
        inputs={name: find(tensor.name) for name, tensor in inputs.items()},
        outputs={name: find(tensor.name) for name, tensor in outputs.items()},
        variables={
            here.name: variables[id(there)]
            for there, here in function.graph.captures
            if id(there) in variables
        },
        owner=owner,
    )


def look_through(tensor: Any) -> Any:  # noqa: ANN401 - untyped
    """Go back over operations that change nothing."""
    while tensor.op.type in PASSING:
        tensor = tensor.op.inputs[0]
    return tensor


def ancestors(tensor: Any, stops: Iterable[str] = ()) -> Iterator[Any]:  # noqa: ANN401 - untyped
    """Give a tensor and all that it is computed from, no further than some tensors by name."""
    ends, seen, waiting = set(stops), set(), [tensor]
    while waiting:
        now = waiting.pop()
        if now.name in seen:
            continue
        seen.add(now.name)
        yield now
        if now.name not in ends:
            waiting += now.op.inputs
