"""Graphs inside a graph: branches, loops and scans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from converters.onnx_to_torch.scripted import script_branch, script_loop, script_scan

if TYPE_CHECKING:
    from torch import Tensor

#: A tensor, a sequence of tensors, or None.
Value: TypeAlias = Any
Graph: TypeAlias = Callable[..., Sequence[Value]]


def branch(
    condition: Tensor,
    *captured: Value,
    then_branch: Graph,
    else_branch: Graph,
    captures: int,
) -> tuple[Value, ...]:
    """If-1 to 25."""
    import torch

    if torch.jit.is_tracing():
        return tuple(script_branch(condition, then_branch, else_branch, captured))
    return tuple((then_branch if bool(condition) else else_branch)(*captured))


def loop(
    most: Tensor | None = None,
    condition: Tensor | None = None,
    *values: Value,
    body: Graph,
    captures: int,
    outputs: int,
) -> tuple[Value, ...]:
    """Loop-1 to 25; what the body adds to its states, of each turn, is stacked."""
    import torch

    carried = list(values[: len(values) - captures])
    captured = values[len(values) - captures :]
    if torch.jit.is_tracing():
        return tuple(script_loop(most, condition, body, carried, captured))
    collected: list[list[Tensor]] = [[] for _ in range(outputs - len(carried))]
    going = torch.ones([], dtype=torch.bool) if condition is None else condition
    turn = 0
    while bool(going) and (most is None or turn < int(most)):
        new, *rest = body(torch.tensor(turn), going, *carried, *captured)
        going = going if condition is None else new
        carried = list(rest[: len(carried)])
        for each, value in zip(collected, rest[len(carried) :], strict=True):
            each.append(value)
        turn += 1
    if turn == 0 and collected:
        raise ValueError("Loop: no turn, so the shape of what it collects is not known")
    return (*carried, *(torch.stack(each) for each in collected))


def scan(
    *values: Value,
    body: Graph,
    num_scan_inputs: int,
    scan_input_axes: list[int] | None = None,
    scan_input_directions: list[int] | None = None,
    scan_output_axes: list[int] | None = None,
    scan_output_directions: list[int] | None = None,
    captures: int,
    outputs: int,
) -> tuple[Value, ...]:
    """Scan-9 to 25."""
    count = len(values) - captures - num_scan_inputs
    axes = scan_input_axes or [0] * num_scan_inputs
    ways = scan_input_directions or [0] * num_scan_inputs
    slices = [
        x.movedim(axis, 0).flip(0) if backwards else x.movedim(axis, 0)
        for x, axis, backwards in zip(values[count:], axes, ways, strict=False)
    ]
    made = scan_over(body, values[:count], slices, values[len(values) - captures :])
    axes = scan_output_axes or [0] * (outputs - count)
    ways = scan_output_directions or [0] * (outputs - count)
    stacked = [
        (x.flip(0) if backwards else x).movedim(0, axis)
        for x, axis, backwards in zip(made[count:], axes, ways, strict=True)
    ]
    return (*made[:count], *stacked)


def scan_over(
    body: Graph, states: Sequence[Tensor], slices: Sequence[Tensor], captured: Sequence[Tensor]
) -> list[Tensor]:
    """Run a body over the first axes of `slices`; give the last states, then what it collects.

    Args:
        body: Takes the states, a slice of each, and the captured; it must take everything else
            that may change from call to call in one of these.
    """
    import torch

    if torch.jit.is_tracing():
        return script_scan(body, states, slices, captured)
    count = len(states)
    collected: list[tuple[Tensor, ...]] = []
    for each in zip(*(x.unbind(0) for x in slices), strict=True):
        made = body(*states, *each, *captured)
        states = made[:count]
        collected.append(tuple(made[count:]))
    return [*states, *(torch.stack(found) for found in zip(*collected, strict=True))]


def scan_8(
    lengths: Tensor | None = None,
    *values: Value,
    body: Graph,
    num_scan_inputs: int,
    directions: list[int] | None = None,
    captures: int,
    outputs: int,
) -> tuple[Value, ...]:
    """Scan-8: one scan for each of a batch, all of the same length."""
    import torch

    if lengths is not None:
        raise ValueError("Scan-8 with sequence_lens is not supported")
    inputs, captured = values[: len(values) - captures], values[len(values) - captures :]
    made = [
        scan(
            *each,
            *captured,
            body=body,
            num_scan_inputs=num_scan_inputs,
            scan_input_directions=directions,
            captures=captures,
            outputs=outputs,
        )
        for each in zip(*(x.unbind(0) for x in inputs), strict=True)
    ]
    return tuple(torch.stack(each) for each in zip(*made, strict=True))
