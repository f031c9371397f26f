"""If whose condition is known: the branch that is taken stands for it."""

from __future__ import annotations

from converters.onnx_legal.body import Body
from converters.onnx_legal.copier import Copier
from converters.onnx_legal.facts import facts_of
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether the condition follows from the shapes: the other branch may not even fit."""
    return place.constant(0) is not None


def apply(body: Body) -> None:
    """Copy the nodes of the branch."""
    condition = body.place.constant(0)
    taken = bool(condition is not None and condition.reshape(-1)[0])
    graph = body.place.attribute("then_branch" if taken else "else_branch")
    names: dict[str, str] = {}
    for tensor in graph.initializer:
        names[tensor.name] = body.stored(tensor)
    copier = Copier(body, names)
    copier.add(graph.node, body.nodes)
    for number, value in enumerate(graph.output):
        body.give(copier.names.get(value.name, value.name), number)


def differ(place: Place) -> bool:
    """Tell whether the rank of an output depends on the branch that is taken.

    A single number and a vector of it do no harm.
    """
    graphs = [place.attribute(name) for name in ("then_branch", "else_branch")]
    ranks = [
        [facts.shapes.get(value.name) for value in graph.output]
        for graph in graphs
        for facts in [facts_of(graph, place.facts.opset, place.facts)]
    ]
    return any(one and other and len(one) != len(other) for one, other in zip(*ranks, strict=True))


def refuse(body: Body) -> None:
    """Refuse it: OpenVINO loses what follows.

    Raises:
        ConversionError: Always.
    """
    condition = body.place.node.input[0]
    raise body.place.refusal(
        f"its branches give values of different ranks, and its condition '{condition}' is not "
        f"known before: fix the sizes that it depends on"
    )


REWRITE = Rewrite(
    operator="If",
    fault="converts the branch that is never taken, and fails if its shapes do not fit",
    cases=("affine_grid_*_expanded",),
    apply=apply,
    applies=applies,
)

RANKS = Rewrite(
    operator="If",
    fault="loses the rank of what comes out of branches that differ",
    cases=(),
    apply=refuse,
    applies=differ,
)
