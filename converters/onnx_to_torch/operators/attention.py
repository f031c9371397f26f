"""Attention, and the rotations that go before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.dtypes import ElementType, torch_dtype, working
from converters.onnx_to_torch.sizes import Number, known

if TYPE_CHECKING:
    from torch import Tensor, dtype


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    lengths: Tensor | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: Literal[0, 1, 2, 3] = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: ElementType | None = None,
    outputs: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Attention-23, 24 and 25; a query that may see no key gives zeros."""
    import torch

    packed = q.dim() == 3
    if packed:
        q, k, v = heads(q, q_num_heads), heads(k, kv_num_heads), heads(v, kv_num_heads)
    offset: Tensor | Number = 0
    if past_key is not None and past_value is not None:
        offset = past_key.shape[2]
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
    elif lengths is not None:
        offset = (lengths - q.shape[2]).reshape([-1, 1, 1, 1])
    sight = Sight(offset, is_causal=bool(is_causal), left=left_window_size, right=right_window_size)
    bias = _bias(mask, _seen(q.shape[2], k.shape[2], sight, lengths), q, k.shape[2])
    each = known(q)[1] // known(k)[1]
    wide_k, wide_v = ((t if each == 1 else t.repeat_interleave(each, 1)) for t in (k, v))
    factor = float(known(q)[3]) ** -0.5 if scale is None else scale
    if outputs < 4 and not softcap and softmax_precision is None and bias is None:
        made = torch.nn.functional.scaled_dot_product_attention(q, wide_k, wide_v, scale=factor)
        raw = made
    else:
        kind = working(q).dtype if softmax_precision is None else torch_dtype(softmax_precision)
        raw, weights = _weights(q, wide_k, bias, factor, softcap, kind, qk_matmul_output_mode)
        made = torch.matmul(weights, wide_v.to(weights.dtype)).to(q.dtype)
    return (_packed(made) if packed else made), k, v, raw


def heads(x: Tensor, count: int | None) -> Tensor:
    """Split the last of three axes, and put the heads before the sequence."""
    if count is None:
        raise ValueError("Attention of three axes needs the numbers of heads")
    return x.unflatten(2, [count, -1]).transpose(1, 2)


def _packed(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


@dataclass(frozen=True)
class Sight:
    """Which keys a query may see, by how far they are.

    Attributes:
        offset: How many keys come before the first query.
        left: How many keys before its own place, -1 for all.
        right: How many after it.
    """

    offset: Tensor | Number
    is_causal: bool
    left: int
    right: int


def _seen(queries: Number, keys: Number, sight: Sight, lengths: Tensor | None) -> Tensor | None:
    """Tell which query may see which key; None where every one may."""
    import torch

    places = torch.arange(queries).unsqueeze(1) + sight.offset
    key = torch.arange(keys)
    rules = []
    if sight.is_causal:
        rules.append(key <= places)
    if sight.left >= 0:
        rules.append(key >= places - sight.left)
    if sight.right >= 0:
        rules.append(key <= places + sight.right)
    if lengths is not None:
        rules.append(key < lengths.reshape([-1, 1, 1, 1]))
    seen = None
    for rule in rules:
        seen = rule if seen is None else seen & rule
    return seen


def _bias(mask: Tensor | None, seen: Tensor | None, q: Tensor, keys: Number) -> Tensor | None:
    """Give what to add to the scores: zero or minus infinity, or the mask's own numbers."""
    import torch
    from torch.nn import functional

    never = float("-inf")
    added = None
    if mask is not None:
        added = torch.where(mask, 0.0, never).to(q.dtype) if mask.dtype == torch.bool else mask
        added = functional.pad(added, [0, keys - mask.shape[-1]], value=never)
    if seen is None:
        return added
    hidden = torch.where(seen, 0.0, never).to(q.dtype)
    return hidden if added is None else added + hidden


def _weights(
    q: Tensor,
    k: Tensor,
    bias: Tensor | None,
    factor: float,
    softcap: float,
    kind: dtype,
    stage: int,
) -> tuple[Tensor, Tensor]:
    """Give the scores as they are at some stage, and the weights."""
    import torch

    root = factor**0.5
    stages = [torch.matmul(working(q) * root, (working(k) * root).transpose(2, 3))]
    stages.append(softcap * torch.tanh(stages[0] / softcap) if softcap else stages[0])
    stages.append(stages[1] if bias is None else stages[1] + bias)
    scores = stages[2].to(kind)
    best = scores.amax(-1, keepdim=True)
    made = torch.softmax(scores, -1)
    made = torch.where(best == float("-inf"), 0, made)
    stages.append(made)
    return stages[stage].to(q.dtype), made


def rotary_embedding(
    x: Tensor,
    cos: Tensor,
    sin: Tensor,
    position_ids: Tensor | None = None,
    *,
    interleaved: int = 0,
    num_heads: int | None = None,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    """RotaryEmbedding-23."""
    import torch

    data = x.transpose(1, 2) if x.dim() == 4 else x.unflatten(2, [num_heads or 1, -1])
    size = rotary_embedding_dim or data.shape[3]
    turned, rest = data[..., :size], data[..., size:]
    if position_ids is not None:
        cos, sin = cos[position_ids], sin[position_ids]
    cos, sin = cos.unsqueeze(2), sin.unsqueeze(2)
    if interleaved:
        first, second = turned[..., 0::2], turned[..., 1::2]
    else:
        first, second = turned.chunk(2, -1)
    real, imaginary = cos * first - sin * second, sin * first + cos * second
    if interleaved:
        turned = torch.stack([real, imaginary], -1).flatten(3)
    else:
        turned = torch.cat([real, imaginary], -1)
    made = torch.cat([turned, rest], -1)
    return made.transpose(1, 2) if x.dim() == 4 else made.flatten(2)
