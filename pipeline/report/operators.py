"""What the split did to the graph, operator by operator."""

from dataclasses import dataclass

from registry.composition import Split


@dataclass(frozen=True)
class Operator:
    """How often an operator stands in the whole model, and in what the split left of it.

    Attributes:
        share, left: The two counts as parts of the largest count, 0 to 1: bar lengths.
    """

    name: str
    before: int
    after: int
    share: float
    left: float


def compare_operators(split: Split) -> tuple[Operator, ...]:
    """List the operators, the most frequent first."""
    names = sorted(
        {*split.nodes_before, *split.nodes_after},
        key=lambda name: (-split.nodes_before.get(name, 0), -split.nodes_after.get(name, 0), name),
    )
    largest = max((*split.nodes_before.values(), *split.nodes_after.values()), default=1)
    return tuple(
        Operator(name, before, after, before / largest, after / largest)
        for name in names
        for before, after in [(split.nodes_before.get(name, 0), split.nodes_after.get(name, 0))]
    )
