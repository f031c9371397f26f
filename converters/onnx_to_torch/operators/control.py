"""Graphs inside a graph: branches, loops and scans."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from torch import Tensor

#: A tensor, a sequence of tensors, or None.
Value: TypeAlias = Any
Graph: TypeAlias = Callable[..., tuple[Value, ...]]


def _refuse_to_trace(name: str) -> None:
    import torch

    if torch.jit.is_tracing():
        raise TypeError(f"{name} cannot be traced: the way of the example would be kept for good")


def branch(
    condition: Tensor, *captured: Value, then_branch: Graph, else_branch: Graph, captures: int
) -> tuple[Value, ...]:
    """If-1 to 25."""
    _refuse_to_trace("If")
    return (then_branch if bool(condition) else else_branch)(*captured)


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

    _refuse_to_trace("Loop")
    carried = list(values[: len(values) - captures])
    captured = values[len(values) - captures :]
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
    import torch

    _refuse_to_trace("Scan")
    count = len(values) - captures - num_scan_inputs
    states, captured = list(values[:count]), values[len(values) - captures :]
    slices = [
        _turned(x, axis, backwards)
        for x, axis, backwards in zip(
            values[count : count + num_scan_inputs],
            scan_input_axes or [0] * num_scan_inputs,
            scan_input_directions or [0] * num_scan_inputs,
            strict=True,
        )
    ]
    collected: list[list[Tensor]] = [[] for _ in range(outputs - count)]
    for each in zip(*slices, strict=True):
        made = body(*states, *each, *captured)
        states = list(made[:count])
        for found, value in zip(collected, made[count:], strict=True):
            found.append(value)
    axes = scan_output_axes or [0] * len(collected)
    ways = scan_output_directions or [0] * len(collected)
    stacked = [
        torch.stack(found[::-1] if backwards else found, axis)
        for found, axis, backwards in zip(collected, axes, ways, strict=True)
    ]
    return (*states, *stacked)


def _turned(x: Tensor, axis: int, backwards: int) -> list[Tensor]:
    parts = list(x.unbind(axis))
    return parts[::-1] if backwards else parts


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
