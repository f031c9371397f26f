"""Operators that ONNX defines by a body of others, where OpenVINO's own are wrong or lacking."""

from converters.onnx_legal.expand import expand
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def _looks_back(place: Place) -> bool:
    """Tell whether attention has a window, or a causal mask that has to count what came before."""
    windows = [place.attribute(name, -1) for name in ("left_window_size", "right_window_size")]
    after = bool(place.attribute("is_causal", 0)) and place.has(4)
    return after or any(one >= 0 for one in windows)


def _is_half(place: Place) -> bool:
    import onnx

    return place.kind(0) in (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)


def _needs_body(place: Place) -> bool:
    """Tell whether attention looks back, or may mask whole rows in bfloat16."""
    import onnx

    return _looks_back(place) or place.kind(0) == onnx.TensorProto.BFLOAT16


ATTENTION = Rewrite(
    operator="Attention",
    fault="ignores windows, and what came before under a causal mask; on hosts without AVX-512, "
    "rows of bfloat16 that see nothing get a mean instead of zeros",
    cases=(
        "attention_*_window*",
        "attention_4d_with_past_and_present_*_mask_causal",
        "attention_4d_causal_padded_kv_bf16",
    ),
    apply=expand,
    applies=_needs_body,
)

CAUSAL_CONV = Rewrite(
    operator="CausalConvWithState",
    fault="lacks it",
    cases=("causal_conv_with_state_*",),
    apply=expand,
)

CELU = Rewrite(
    operator="Celu",
    fault="takes constants of 32 bits for those of 16",
    cases=("celu_float16", "celu_bfloat16"),
    apply=expand,
    applies=_is_half,
)

LINEAR_ATTENTION = Rewrite(
    operator="LinearAttention",
    fault="lacks it",
    cases=("linear_attention_*",),
    apply=expand,
)

LOSS = Rewrite(
    operator="NegativeLogLikelihoodLoss",
    fault="cannot read its attributes",
    cases=("nllloss_*_ii", "sce_*_ii_expanded"),
    apply=expand,
)

SWIGLU = Rewrite(
    operator="SwiGLU",
    fault="lacks it",
    cases=("swiglu*",),
    apply=expand,
)
