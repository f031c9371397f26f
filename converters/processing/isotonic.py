"""Isotonic regression as ONNX, which skl2onnx has no form of: lines between thresholds."""

from typing import Any

import numpy as np

_ALIAS = "SklearnIsotonicRegression"


def teach_isotonic() -> None:
    """Let skl2onnx know of isotonic regression, unless it does by now."""
    from skl2onnx import supported_converters, update_registered_converter
    from sklearn.isotonic import IsotonicRegression

    if _ALIAS not in supported_converters():
        update_registered_converter(IsotonicRegression, _ALIAS, _shape, _convert)


def _shape(operator: Any) -> None:  # noqa: ANN401 - untyped
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    taken = operator.inputs[0].type
    kind = DoubleTensorType if isinstance(taken, DoubleTensorType) else FloatTensorType
    operator.outputs[0].type = kind([taken.shape[0], 1])


def _convert(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401 - untyped
    """Find the stretch that each value lies in, and go along its line.

    Raises:
        ValueError: The estimator raises for values beyond its thresholds, which ONNX cannot.
    """
    from skl2onnx.algebra.onnx_ops import OnnxCast, OnnxIdentity, OnnxReshape

    fitted, opset = operator.raw_operator, container.target_opset
    if fitted.out_of_bounds == "raise":
        raise ValueError("out_of_bounds='raise' has no form in ONNX: take 'clip'")
    dtype = _dtype_of(operator.outputs[0].type)
    cast = OnnxCast(operator.inputs[0], to=_element(dtype), op_version=opset)
    x = OnnxReshape(cast, np.array([-1, 1], np.int64), op_version=opset)
    y = _answered(x, fitted, dtype, opset)
    named = OnnxIdentity(y, op_version=opset, output_names=operator.outputs[:1])
    named.add_to(scope, container)


def _answered(x: Any, fitted: Any, dtype: np.dtype, opset: int) -> Any:  # noqa: ANN401 - untyped
    """Give the answers for a column; beyond the thresholds the last one's, or `nan`."""
    from skl2onnx.algebra import onnx_ops as ops

    ends = np.asarray(fitted.X_thresholds_, dtype)
    inside = ops.OnnxClip(x, ends[:1].reshape(()), ends[-1:].reshape(()), op_version=opset)
    y = _along(inside, ends, np.asarray(fitted.y_thresholds_, dtype), opset)
    if fitted.out_of_bounds == "clip" or len(ends) == 1:
        return y
    # Not stored as it is: weights that are no numbers are refused.
    nan = ops.OnnxSqrt(np.array([-1], dtype), op_version=opset)
    return ops.OnnxWhere(ops.OnnxEqual(inside, x, op_version=opset), y, nan, op_version=opset)


def _along(x: Any, ends: np.ndarray, heights: np.ndarray, opset: int) -> Any:  # noqa: ANN401 - untyped
    """Count the thresholds below each value, and go along the line between two of them."""
    import onnx
    from skl2onnx.algebra import onnx_ops as ops

    if len(ends) == 1:
        ends, heights = ends.repeat(2), heights.repeat(2)
    width = np.diff(ends)
    slope = np.divide(np.diff(heights), width, out=np.zeros_like(width), where=width > 0)
    above = ops.OnnxGreater(x, ends[None, 1:], op_version=opset)
    counted = ops.OnnxCast(above, to=onnx.TensorProto.INT64, op_version=opset)
    place = ops.OnnxReduceSum(counted, np.array([1], np.int64), keepdims=1, op_version=opset)
    start, height, rise = (
        ops.OnnxGather(values, place, op_version=opset)
        for values in (ends[:-1], heights[:-1], slope)
    )
    run = ops.OnnxSub(x, start, op_version=opset)
    return ops.OnnxAdd(height, ops.OnnxMul(run, rise, op_version=opset), op_version=opset)


def _dtype_of(kind: Any) -> np.dtype:  # noqa: ANN401 - untyped
    from skl2onnx.common.data_types import DoubleTensorType

    return np.dtype("float64" if isinstance(kind, DoubleTensorType) else "float32")


def _element(dtype: np.dtype) -> int:
    import onnx

    return int(onnx.helper.np_dtype_to_tensor_dtype(dtype))
