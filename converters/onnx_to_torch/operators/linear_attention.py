"""Attention by a state that every step updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.dtypes import working
from converters.onnx_to_torch.operators.attention import heads
from converters.onnx_to_torch.operators.control import scan_over
from converters.onnx_to_torch.sizes import known

if TYPE_CHECKING:
    from torch import Tensor


def linear_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    past_state: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    *,
    chunk_size: int = 64,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = 0.0,
    update_rule: Literal["linear", "gated", "delta", "gated_delta"] = "gated_delta",
) -> tuple[Tensor, Tensor]:
    """LinearAttention-27, one step after another."""
    import torch

    if ("gated" in update_rule) != (decay is not None) or ("delta" in update_rule) != (
        beta is not None
    ):
        raise ValueError(f"LinearAttention: decay and beta do not fit the rule {update_rule}")
    query = working(heads(q, q_num_heads))
    key, value = (working(heads(t, kv_num_heads)) for t in (k, v))
    state = key.new_zeros([key.shape[0], kv_num_heads, key.shape[3], value.shape[3]])
    state = state if past_state is None else working(past_state)
    fades = None if decay is None else working(heads(decay, kv_num_heads)).exp().unsqueeze(-1)
    rates = None if beta is None else working(beta).unsqueeze(-1).transpose(1, 2)
    factor = scale or float(known(key)[3]) ** -0.5
    every = [key, value, query, *(t for t in (fades, rates) if t is not None)]

    def step(state: Tensor, k_t: Tensor, v_t: Tensor, q_t: Tensor, *more: Tensor) -> list[Tensor]:
        left = list(more)
        if fades is not None:
            state = state * left.pop(0)
        if rates is not None:
            v_t = left.pop(0) * (v_t - torch.einsum("bhdm,bhd->bhm", state, k_t))
        state = state + k_t.unsqueeze(-1) * v_t.unsqueeze(-2)
        read = state.repeat_interleave(q_num_heads // kv_num_heads, 1)
        return [state, factor * torch.einsum("bhd,bhdm->bhm", q_t, read)]

    state, made = scan_over(step, [state], [t.movedim(2, 0) for t in every], [])
    packed = made.movedim(0, 1).flatten(2).to(q.dtype)
    return packed, state.to(q.dtype if past_state is None else past_state.dtype)
