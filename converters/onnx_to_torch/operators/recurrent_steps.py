"""Recurrent cells step by step: sequences of several lengths, other activations, peepholes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators import activation

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Cell:
    """What a cell computes in a step.

    Attributes:
        activations: Names, for each direction.
        clip: Bound of what goes into an activation.
        coupled: Whether the forget gate is one minus the input gate.
    """

    kind: Literal["lstm", "gru", "rnn"]
    activations: list[tuple[str, ...]]
    clip: float | None
    coupled: bool = False
    linear_before_reset: bool = False
    peepholes: Tensor | None = None


@dataclass(frozen=True)
class _Step:
    """One direction's weights, and what turns a step's input and the states into new states."""

    cell: Cell
    at: int
    w: Tensor
    r: Tensor
    w_bias: Tensor
    r_bias: Tensor

    def activate(self, which: int, x: Tensor) -> Tensor:
        clip = self.cell.clip
        bounded = x if clip is None else x.clamp(-clip, clip)
        return _function(self.cell.activations[self.at][which])(bounded)


def run_steps(
    cell: Cell,
    x: Tensor,
    weights: tuple[Tensor, Tensor, Tensor | None],
    states: list[Tensor],
    lengths: Tensor | None,
    direction: str,
) -> list[Tensor]:
    """Give [steps, directions, batch, hidden] and the last states [directions, batch, hidden]."""
    import torch

    if torch.jit.is_tracing():
        raise TypeError(f"this {cell.kind} cannot be traced: its steps would be counted for good")
    w, r, b = weights
    bias = w.new_zeros([w.shape[0], 2 * w.shape[1]]) if b is None else b
    outputs, lasts = [], []
    for at in range(w.shape[0]):
        step = _Step(cell, at, w[at], r[at], *bias[at].chunk(2))
        backwards = direction == "reverse" or at == 1
        y, last = _run(step, x, [state[at] for state in states], lengths, backwards=backwards)
        outputs.append(y)
        lasts.append(last)
    return [torch.stack(outputs, 1), *(torch.stack(each) for each in zip(*lasts, strict=True))]


def _run(
    step: _Step, x: Tensor, states: list[Tensor], lengths: Tensor | None, *, backwards: bool
) -> tuple[Tensor, list[Tensor]]:
    import torch

    advance = {"lstm": _lstm_step, "gru": _gru_step, "rnn": _rnn_step}[step.cell.kind]
    order = range(x.shape[0])
    outputs: dict[int, Tensor] = {}
    for time in reversed(order) if backwards else order:
        new = advance(step, x[time], states)
        outputs[time] = new[0]
        if lengths is not None:
            alive = (lengths > time).unsqueeze(1)
            outputs[time] = torch.where(alive, new[0], 0)
            new = [torch.where(alive, n, old) for n, old in zip(new, states, strict=True)]
        states = new
    return torch.stack([outputs[time] for time in order]), states


def _lstm_step(step: _Step, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    h, c = states
    gates = x @ step.w.t() + step.w_bias + h @ step.r.t() + step.r_bias
    i, o, f, new = gates.chunk(4, 1)
    peepholes = step.cell.peepholes
    p_i, p_o, p_f = (0, 0, 0) if peepholes is None else peepholes[step.at].chunk(3)
    i = step.activate(0, i + p_i * c)
    f = 1 - i if step.cell.coupled else step.activate(0, f + p_f * c)
    c = f * c + i * step.activate(1, new)
    o = step.activate(0, o + p_o * c)
    return [o * step.activate(2, c), c]


def _gru_step(step: _Step, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    (h,) = states
    w_z, w_r, w_h = (x @ step.w.t() + step.w_bias).chunk(3, 1)
    r_z, r_r, r_h = step.r.chunk(3)
    b_z, b_r, b_h = step.r_bias.chunk(3)
    z = step.activate(0, w_z + h @ r_z.t() + b_z)
    reset = step.activate(0, w_r + h @ r_r.t() + b_r)
    if step.cell.linear_before_reset:
        new = w_h + reset * (h @ r_h.t() + b_h)
    else:
        new = w_h + (reset * h) @ r_h.t() + b_h
    return [(1 - z) * step.activate(1, new) + z * h]


def _rnn_step(step: _Step, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    (h,) = states
    return [step.activate(0, x @ step.w.t() + step.w_bias + h @ step.r.t() + step.r_bias)]


def _function(name: str) -> Callable[[Tensor], Tensor]:
    import torch
    from torch.nn import functional

    functions: dict[str, Callable[[Tensor], Tensor]] = {
        "Relu": torch.relu,
        "Tanh": torch.tanh,
        "Sigmoid": torch.sigmoid,
        "LeakyRelu": activation.leaky_relu,
        "ThresholdedRelu": activation.thresholded_relu,
        "HardSigmoid": activation.hard_sigmoid,
        "Elu": activation.elu,
        "Softsign": activation.softsign,
        "Softplus": functional.softplus,
    }
    return functions[name]
