"""Branches and loops in a trace.

A trace keeps the way that the example went. What may go another way is therefore traced by
itself, as a function of everything that it takes, and called from a few lines of TorchScript,
which a trace keeps as they are. Annotations here are read by TorchScript, so they are not quoted
inside of functions.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.sizes import untraced

if TYPE_CHECKING:
    from torch import Tensor

    Body = Callable[..., Sequence[Tensor]]
    Scripted = Callable[..., Any]

#: More turns than any loop takes.
_MOST = 1 << 62


def script_branch(
    condition: "Tensor", then: "Body", otherwise: "Body", captured: "Sequence[Tensor]"
) -> "list[Tensor]":
    """Run one of two bodies; which one is decided in every call."""
    import torch

    inputs = [condition, *captured]
    first = _traced(lambda taken: then(*taken[1:]), inputs)
    second = _traced(lambda taken: otherwise(*taken[1:]), inputs)

    def run(inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        made: list[torch.Tensor] = first(inputs) if bool(inputs[0]) else second(inputs)
        return made

    made: list[Tensor] = _script(run)(inputs)
    return made


def script_loop(
    most: "Tensor | None",
    condition: "Tensor | None",
    body: "Body",
    states: "Sequence[Tensor]",
    captured: "Sequence[Tensor]",
) -> "list[Tensor]":
    """Run a body as ONNX's Loop does; gives the last states, then what was collected."""
    import torch

    turn, going = torch.zeros([], dtype=torch.int64), torch.ones([], dtype=torch.bool)
    inputs = [turn, going if condition is None else condition, *states, *captured]
    step = _traced(lambda taken: body(*taken), inputs)

    def run(
        most: torch.Tensor,
        ends: bool,  # noqa: FBT001 (TorchScript)
        count: int,
        inputs: list[torch.Tensor],
    ) -> list[torch.Tensor]:
        turn = 0
        limit = int(most)
        going = bool(inputs[1])
        states = inputs[2 : 2 + count]
        captured = inputs[2 + count :]
        collected: list[list[torch.Tensor]] = []
        while turn < limit and going:
            made = step([torch.tensor(turn), torch.tensor(going)] + states + captured)  # noqa: RUF005 (TorchScript)
            going = bool(made[0]) if ends else True
            states = made[1 : 1 + count]
            if turn == 0:
                for _ in made[1 + count :]:
                    empty: list[torch.Tensor] = []
                    collected.append(empty)
            for at, value in enumerate(made[1 + count :]):
                collected[at].append(value)
            turn += 1
        return states + [torch.stack(each) for each in collected]

    limit = torch.full([], _MOST) if most is None else most.reshape([])
    made: list[Tensor] = _script(run)(limit, condition is not None, len(states), inputs)
    return made


def script_scan(
    body: "Body",
    states: "Sequence[Tensor]",
    slices: "Sequence[Tensor]",
    captured: "Sequence[Tensor]",
) -> "list[Tensor]":
    """Run a body over the first axes of `slices`; gives the last states, then what it collects."""
    import torch

    step = _traced(lambda taken: body(*taken), [*states, *(x[0] for x in slices), *captured])

    def run(
        states: list[torch.Tensor], slices: list[torch.Tensor], captured: list[torch.Tensor]
    ) -> list[torch.Tensor]:
        count = len(states)
        collected: list[list[torch.Tensor]] = []
        for turn in range(slices[0].size(0)):
            made = step(states + [x[turn] for x in slices] + captured)
            states = made[:count]
            if turn == 0:
                for _ in made[count:]:
                    empty: list[torch.Tensor] = []
                    collected.append(empty)
            for at, value in enumerate(made[count:]):
                collected[at].append(value)
        return states + [torch.stack(each) for each in collected]

    made: list[Tensor] = _script(run)(list(states), list(slices), list(captured))
    return made


def _traced(
    body: "Callable[[list[Tensor]], Sequence[Tensor]]", inputs: "list[Tensor]"
) -> "Scripted":
    """Trace a body as a function of a list; everything that changes has to be in it."""
    import torch

    if not all(isinstance(value, torch.Tensor) for value in inputs):
        raise TypeError("a branch or a loop over a sequence or an optional value cannot be traced")
    with untraced(), torch.no_grad():
        examples = [value.detach().clone() for value in inputs]
        function: Scripted = torch.jit.trace(
            lambda taken: list(body(taken)), (examples,), check_trace=False, strict=False
        )
    return function


def _script(function: "Scripted") -> "Scripted":
    import torch

    with untraced():
        scripted: Scripted = torch.jit.script(function)
    return scripted
