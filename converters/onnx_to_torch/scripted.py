"""Branches and loops in a trace.

A trace keeps the way that the example went. What may go another way is therefore traced by
itself, as a function of everything that it takes, and called from a few lines of TorchScript,
which a trace keeps as they are. Annotations here are read by TorchScript, so they are not quoted
inside of functions.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.flat import flatten
from converters.onnx_to_torch.growing import Growing, growing
from converters.onnx_to_torch.scripting import script
from converters.onnx_to_torch.sizes import untraced

if TYPE_CHECKING:
    from torch import Tensor

    Body = Callable[..., Sequence[Tensor]]
    Scripted = Callable[..., Any]

#: More turns than any loop takes.
_MOST = 1 << 62


def script_branch(
    condition: "Tensor", then: "Body", otherwise: "Body", captured: "Sequence[Any]"
) -> list[Any]:
    """Run one of two bodies; which one is decided in every call."""
    import torch

    inputs, rebuild = flatten([condition, *captured])
    restores: list[Callable[[Sequence[Tensor]], list[Any]]] = []
    counts: set[int] = set()

    def flat(made: "Sequence[Any]") -> "list[Tensor]":
        tensors, restore = flatten([growing(x) if isinstance(x, list) else x for x in made])
        restores.append(restore)
        counts.add(len(tensors))
        return tensors

    first = _traced(lambda taken: flat(then(*rebuild(taken)[1:])), inputs)
    second = _traced(lambda taken: flat(otherwise(*rebuild(taken)[1:])), inputs)
    if len(counts) > 1:
        raise TypeError("branches that give values of different kinds cannot be traced")

    def run(inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        made: list[torch.Tensor] = first(inputs) if bool(inputs[0]) else second(inputs)
        return made

    return restores[0](script(run)(inputs))


def script_loop(
    most: "Tensor | None",
    condition: "Tensor | None",
    body: "Body",
    states: "Sequence[Any]",
    captured: "Sequence[Any]",
) -> "list[Any]":
    """Run a body as ONNX's Loop does; gives the last states, then what was collected."""
    import torch

    turn, going = torch.zeros([], dtype=torch.int64), torch.ones([], dtype=torch.bool)
    first = [turn, going if condition is None else condition]
    states = _growing_states(first, body, states, captured)
    carried, restore = flatten(states)
    inputs, rebuild = flatten([*first, *states, *captured])
    step = _traced(lambda taken: _flat_states(body(*rebuild(taken)), states), inputs)

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
    made: list[Tensor] = script(run)(limit, condition is not None, len(carried), inputs)
    return [*restore(made[: len(carried)]), *made[len(carried) :]]


def script_while(
    condition: "Body", body: "Body", states: "Sequence[Tensor]", captured: "Sequence[Tensor]"
) -> "list[Tensor]":
    """Run a body as long as a condition holds of the states; gives the last of them."""
    import torch

    inputs = [*states, *captured]
    holds = _traced(lambda taken: condition(*taken), inputs)
    step = _traced(lambda taken: body(*taken), inputs)

    def run(states: list[torch.Tensor], captured: list[torch.Tensor]) -> list[torch.Tensor]:
        while bool(holds(states + captured)[0]):
            states = step(states + captured)
        return states

    made: list[Tensor] = script(run)(list(states), list(captured))
    return made


def _growing_states(
    first: "list[Tensor]", body: "Body", states: "Sequence[Any]", captured: "Sequence[Any]"
) -> list[Any]:
    """Let sequences grow; the first turn tells of what an empty one will be made."""
    import torch

    if not any(isinstance(state, list) for state in states):
        return list(states)
    inputs, rebuild = flatten([*first, *states, *captured])
    with untraced(), torch.no_grad():
        made = body(*rebuild([value.detach().clone() for value in inputs]))[1:]
    return [
        growing(state, _element(after)) if isinstance(state, list) else state
        for state, after in zip(states, made, strict=False)
    ]


def _element(sequence: Any) -> "Tensor | None":  # noqa: ANN401 - a value of ONNX
    return sequence[0] if isinstance(sequence, list) and sequence else None


def _flat_states(made: "Sequence[Any]", states: "Sequence[Any]") -> "list[Tensor]":
    """Give what a turn made as tensors; sequences in the form of those before it."""
    going, *rest = made
    after = [
        growing(value) if isinstance(state, Growing) else value
        for value, state in zip(rest, states, strict=False)
    ]
    return flatten([going, *after, *rest[len(states) :]])[0]


def script_scan(
    body: "Body",
    states: "Sequence[Tensor]",
    slices: "Sequence[Tensor]",
    captured: "Sequence[Tensor]",
) -> "list[Tensor]":
    """Run a body over the first axes of `slices`; gives the last states, then what it collects."""
    import torch

    outer, rebuild = flatten(captured)
    count = len(states) + len(slices)
    step = _traced(
        lambda taken: body(*taken[:count], *rebuild(taken[count:])),
        [*states, *(x[0] for x in slices), *outer],
    )

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

    made: list[Tensor] = script(run)(list(states), list(slices), outer)
    return made


def _traced(
    body: "Callable[[list[Tensor]], Sequence[Tensor]]", inputs: "list[Tensor]"
) -> "Scripted":
    """Trace a body as a function of a list; everything that changes has to be in it."""
    import torch

    if not all(isinstance(value, torch.Tensor) for value in inputs):
        raise TypeError("a branch or a loop over a sequence of this kind cannot be traced")
    with untraced(), torch.no_grad():
        examples = [value.detach().clone() for value in inputs]
        function: Scripted = torch.jit.trace(
            lambda taken: list(body(taken)), (examples,), check_trace=False, strict=False
        )
    return function
