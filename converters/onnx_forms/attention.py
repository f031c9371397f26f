"""Attention that answers zero where a mask lets nothing be seen, as torch does.

The exporter masks by adding the lowest float: a row of a batch without a single token then
attends to all that was masked, or answers NaN where the mask is of floats.
"""

from typing import Any


def scaled_dot_product_attention(  # noqa: PLR0913, PLR0917 - the operator's own arguments
    query: Any,  # noqa: ANN401 - values of a graph that is being written
    key: Any,  # noqa: ANN401
    value: Any,  # noqa: ANN401
    attn_mask: Any = None,  # noqa: ANN401
    dropout_p: float = 0.0,
    is_causal: bool = False,  # noqa: FBT001, FBT002
    scale: float | None = None,
    enable_gqa: bool = False,  # noqa: FBT001, FBT002
) -> Any:  # noqa: ANN401
    """Write attention by the exporter's form, and zeros where its mask hides all keys."""
    from onnxscript import opset18 as op
    from onnxscript.function_libs.torch_lib.ops import nn

    made = nn.aten_scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa
    )
    if attn_mask is None:
        return made
    return op.Where(_sees_any(attn_mask), made, op.CastLike(op.Constant(value_float=0.0), made))


def _sees_any(mask: Any) -> Any:  # noqa: ANN401
    """Tell of each query whether there is a key that it may see."""
    import onnx_ir
    from onnxscript import opset18 as op

    if mask.dtype == onnx_ir.DataType.BOOL:
        seen = mask
    else:
        hidden = op.CastLike(op.Constant(value_float=float("-inf")), mask)
        seen = op.Greater(mask, hidden)
    counted = op.Cast(seen, to=onnx_ir.DataType.INT32)
    last = op.Constant(value_ints=[-1])
    return op.Cast(op.ReduceMax(counted, last, keepdims=1), to=onnx_ir.DataType.BOOL)
