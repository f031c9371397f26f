"""Recurrent cells step by step: sequences of several lengths, other activations, peepholes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators import activation
from converters.onnx_to_torch.operators.control import scan_over

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Cell:
    """What a cell computes in a step.

    Attributes:
        activations: Names, for each direction.
        clip: Bound of what goes into an activation, but for the cell's state: neither ONNX
            Runtime nor OpenVINO bounds that.
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
    peepholes: Tensor | None = None

    def activate(self, which: int, x: Tensor) -> Tensor:
        clip = self.cell.clip
        bounded = x if clip is None else x.clamp(-clip, clip)
        return self.function(which)(bounded)

    def function(self, which: int) -> Callable[[Tensor], Tensor]:
        return _function(self.cell.activations[self.at][which])


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

    w, r, b = weights
    bias = w.new_zeros([w.shape[0], 2 * w.shape[1]]) if b is None else b
    outputs, lasts = [], []
    for at in range(w.shape[0]):
        peepholes = [] if cell.peepholes is None else [cell.peepholes[at]]
        fixed = [w[at], r[at], *bias[at].chunk(2), *peepholes]
        backwards = direction == "reverse" or at == 1
        made = _run(
            cell, at, x, [state[at] for state in states], fixed, lengths, backwards=backwards
        )
        outputs.append(made[-1])
        lasts.append(made[:-1])
    return [torch.stack(outputs, 1), *(torch.stack(each) for each in zip(*lasts, strict=True))]


def _run(
    cell: Cell,
    at: int,
    x: Tensor,
    states: list[Tensor],
    fixed: list[Tensor],
    lengths: Tensor | None,
    *,
    backwards: bool,
) -> list[Tensor]:
    """Run one direction; give its last states, then the outputs of all steps."""
    import torch

    advance = {"lstm": _lstm_step, "gru": _gru_step, "rnn": _rnn_step}[cell.kind]
    count = len(states)
    until = x.new_full([x.shape[1]], x.shape[0]) if lengths is None else lengths

    def step(*values: Tensor) -> list[Tensor]:
        old = values[:count]
        now, time, ends, *weights = values[count:]
        new = advance(_Step(cell, at, *weights), now, list(old))
        alive = (ends > time).unsqueeze(1)
        kept = [torch.where(alive, n, o) for n, o in zip(new, old, strict=True)]
        return [*kept, torch.where(alive, new[0], 0)]

    slices = [x, torch.arange(x.shape[0])]
    if backwards:
        slices = [values.flip(0) for values in slices]
    made = scan_over(step, states, slices, [until, *fixed])
    return [*made[:-1], made[-1].flip(0)] if backwards else made


def _lstm_step(step: _Step, x: Tensor, states: list[Tensor]) -> list[Tensor]:
    h, c = states
    gates = x @ step.w.t() + step.w_bias + h @ step.r.t() + step.r_bias
    i, o, f, new = gates.chunk(4, 1)
    p_i, p_o, p_f = (0, 0, 0) if step.peepholes is None else step.peepholes.chunk(3)
    i = step.activate(0, i + p_i * c)
    f = 1 - i if step.cell.coupled else step.activate(0, f + p_f * c)
    c = f * c + i * step.activate(1, new)
    o = step.activate(0, o + p_o * c)
    return [o * step.function(2)(c), c]


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
