"""LSTM, GRU and RNN.

What torch has a kernel for goes there, the rest is computed step by step in `recurrent_steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from converters.onnx_to_torch.operators.recurrent_steps import Cell, run_steps

if TYPE_CHECKING:
    from torch import Tensor

    Kernel = Callable[..., tuple[Tensor, ...]]

Activation: TypeAlias = Literal[
    "Relu",
    "Tanh",
    "Sigmoid",
    "LeakyRelu",
    "ThresholdedRelu",
    "HardSigmoid",
    "Elu",
    "Softsign",
    "Softplus",
]
Direction: TypeAlias = Literal["forward", "reverse", "bidirectional"]

#: Where torch has ONNX's gates: input, forget, cell, output; and reset, update, new.
_LSTM_ORDER = (0, 2, 3, 1)
_GRU_ORDER = (1, 0, 2)
_LSTM_DEFAULT = ("Sigmoid", "Tanh", "Tanh")
_GRU_DEFAULT = ("Sigmoid", "Tanh")


def lstm(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    initial_c: Tensor | None = None,
    p: Tensor | None = None,
    *,
    activations: list[Activation] | None = None,
    clip: float | None = None,
    direction: Direction = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
    layout: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:
    """LSTM-7, 14 and 22."""
    import torch

    x = x.transpose(0, 1) if layout else x
    states = [_state(s, x, r, layout) for s in (initial_h, initial_c)]
    names = _names(activations, _LSTM_DEFAULT, w.shape[0])
    plain = sequence_lens is None and p is None and clip is None and not input_forget
    if plain and set(names) == {_LSTM_DEFAULT}:
        weights = _weights(w, r, b, _LSTM_ORDER)
        made = _kernel(torch.lstm, x, states, weights, direction)
    else:
        cell = Cell("lstm", names, clip, coupled=bool(input_forget), peepholes=p)
        made = run_steps(cell, x, (w, r, b), states, sequence_lens, direction)
    y, h, c = made
    return (_batch_first(y), h.transpose(0, 1), c.transpose(0, 1)) if layout else (y, h, c)


def gru(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: list[Activation] | None = None,
    clip: float | None = None,
    direction: Direction = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Tensor, Tensor]:
    """GRU-7, 14 and 22."""
    import torch

    x = x.transpose(0, 1) if layout else x
    states = [_state(initial_h, x, r, layout)]
    names = _names(activations, _GRU_DEFAULT, w.shape[0])
    if (
        linear_before_reset
        and sequence_lens is None
        and clip is None
        and set(names) == {_GRU_DEFAULT}
    ):
        weights = _weights(w, r, b, _GRU_ORDER)
        y, h = _kernel(torch.gru, x, states, weights, direction)
    else:
        cell = Cell("gru", names, clip, linear_before_reset=bool(linear_before_reset))
        y, h = run_steps(cell, x, (w, r, b), states, sequence_lens, direction)
    return (_batch_first(y), h.transpose(0, 1)) if layout else (y, h)


def rnn(
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    initial_h: Tensor | None = None,
    *,
    activations: list[Activation] | None = None,
    clip: float | None = None,
    direction: Direction = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> tuple[Tensor, Tensor]:
    """RNN-7, 14 and 22."""
    import torch

    x = x.transpose(0, 1) if layout else x
    states = [_state(initial_h, x, r, layout)]
    names = _names(activations, ("Tanh",), w.shape[0])
    kernels: dict[tuple[str, ...], Kernel] = {("Tanh",): torch.rnn_tanh, ("Relu",): torch.rnn_relu}
    kernel = kernels.get(names[0]) if len(set(names)) == 1 else None
    if kernel is not None and sequence_lens is None and clip is None:
        y, h = _kernel(kernel, x, states, _weights(w, r, b, (0,)), direction)
    else:
        cell = Cell("rnn", names, clip)
        y, h = run_steps(cell, x, (w, r, b), states, sequence_lens, direction)
    return (_batch_first(y), h.transpose(0, 1)) if layout else (y, h)


def _names(
    said: Sequence[str] | None, default: tuple[str, ...], directions: int
) -> list[tuple[str, ...]]:
    """Give the activations of each direction."""
    count = len(default)
    if said is None:
        return [default] * directions
    return [tuple(said[at * count : (at + 1) * count]) for at in range(directions)]


def _state(given: Tensor | None, x: Tensor, r: Tensor, layout: int) -> Tensor:
    if given is None:
        return x.new_zeros([r.shape[0], x.shape[1], r.shape[2]])
    return (given.transpose(0, 1) if layout else given).contiguous()


def _batch_first(y: Tensor) -> Tensor:
    return y.permute(2, 0, 1, 3)


def _weights(w: Tensor, r: Tensor, b: Tensor | None, order: tuple[int, ...]) -> list[Tensor]:
    """Put the gates in torch's order: the weights of each direction, one after another."""
    import torch

    parts = [] if b is None else list(b.chunk(2, 1))
    result = []
    for at in range(w.shape[0]):
        for tensor in (w, r, *parts):
            gates = tensor[at].chunk(len(order), 0)
            result.append(torch.cat([gates[gate] for gate in order], 0))
    return result


def _kernel(
    function: Callable[..., tuple[Tensor, ...]],
    x: Tensor,
    states: list[Tensor],
    weights: list[Tensor],
    direction: str,
) -> list[Tensor]:
    """Run torch's kernel; give the outputs as ONNX has them, and the last states."""
    both = direction == "bidirectional"
    biased = len(weights) == (8 if both else 4)
    data = x.flip(0) if direction == "reverse" else x
    first = states if len(states) > 1 else states[0]
    y, *last = function(data, first, weights, biased, 1, 0.0, False, both, False)  # noqa: FBT003 (torch's order)
    y = y.flip(0) if direction == "reverse" else y
    split = y.unflatten(2, [2 if both else 1, -1]).transpose(1, 2)
    return [split, *last]
