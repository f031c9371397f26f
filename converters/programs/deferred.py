"""Conditions on sizes that torch asks while it traces, and cannot show to hold for all sizes."""

from typing import TYPE_CHECKING

from registry.errors import SourceError

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]
    import torch
    from torch.export import ExportedProgram
    from torch.utils._sympy.value_ranges import ValueRanges

    Ranges = dict[sympy.Symbol, ValueRanges]


def asks_too_much(text: str) -> bool:
    """Tell from torch's words that it found a condition it cannot show to hold."""
    return "satisfy the generated guard" in text


def drop_shown(program: "ExportedProgram") -> None:
    """Take out the conditions that a program checks as it runs, each shown to hold always.

    Args:
        program: Exported so that what torch cannot show is checked as the program runs.

    Raises:
        SourceError: A condition does not hold for all sizes that the axes may have, or it cannot
            be told whether it does.
    """
    import torch

    for condition in _recorded(program):
        if not _always(condition, program.range_constraints):
            raise SourceError(f"not for all sizes that the axes may have: {condition}")
    check = torch.ops.aten._assert_scalar.default
    for part in program.graph_module.modules():
        if not isinstance(part, torch.fx.GraphModule):
            continue
        for node in part.graph.find_nodes(op="call_function", target=check):
            if not _holds(node.args[0], program.range_constraints):
                raise SourceError(f"not for all sizes that the axes may have: {node.args[1]}")
            part.graph.erase_node(node)
        part.graph.eliminate_dead_code()
        part.recompile()


def _recorded(program: "ExportedProgram") -> "list[sympy.Basic]":
    """Return all conditions that torch put off: it writes only some of them into the program."""
    import torch

    tensors = (node.meta.get("val") for node in program.graph.nodes)
    first = next((one for one in tensors if isinstance(one, torch.Tensor)), None)
    mode = torch._guards.detect_fake_mode(first)
    if mode is None or mode.shape_env is None:
        return []
    return [one.expr for some in mode.shape_env.deferred_runtime_asserts.values() for one in some]


def _holds(condition: "torch.fx.Node | bool", ranges: "Ranges") -> bool:
    value = condition if isinstance(condition, bool) else condition.meta["val"]
    return value if isinstance(value, bool) else _always(value.node.expr, ranges)


def _always(condition: "sympy.Basic", ranges: "Ranges") -> bool:
    """Tell whether a condition holds over all values that its symbols may have."""
    from torch.utils._sympy.value_ranges import bound_sympy

    bounds = bound_sympy(_with_least(condition, ranges), ranges)
    return bounds.is_singleton() and bool(bounds.lower)


def _with_least(condition: "sympy.Basic", ranges: "Ranges") -> "sympy.Basic":
    """Write for each Min the one of its terms that is never more than another."""
    from torch.utils._sympy.functions import Min
    from torch.utils._sympy.value_ranges import bound_sympy

    def least(*terms: "sympy.Expr") -> "sympy.Expr":
        never_more = (
            one
            for one in terms
            if all(bound_sympy((other - one).expand(), ranges).lower >= 0 for other in terms)
        )
        return next(never_more, Min(*terms))

    return condition.replace(Min, least)
