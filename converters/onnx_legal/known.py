"""Values that are the same whatever goes in: constants, shapes and what is computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import onnx

    from converters.onnx_legal.place import Facts

#: Elements of the largest value that is read.
_SMALL = 1 << 16

#: Operators that are worked out.
_FOLDED = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "ReduceProd", "Range", "Cast"),
        *("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Not"),
        *("Concat", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Unsqueeze"),
        *("ConstantOfShape", "Transpose"),
    }
)


#: Operators that only pick and place elements: some of these may be unknown.
_MOVING = frozenset({"Concat", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Unsqueeze"})

#: Stands for a size that is not known.
_FREE = -(1 << 62)


def known(name: str, facts: Facts) -> np.ndarray | None:
    """Work out a value, if it is small and follows from what the file says."""
    found = _partly(name, facts)
    return None if found is None or _is_free(found) else found


def _is_free(value: np.ndarray) -> bool:
    return value.dtype == np.int64 and bool((value == _FREE).any())


def _partly(name: str, facts: Facts) -> np.ndarray | None:
    """Work out a value of which elements may be free."""
    import onnx

    if (tensor := facts.constants.get(name)) is not None:
        return None if int(np.prod(tensor.dims)) > _SMALL else onnx.numpy_helper.to_array(tensor)
    node = facts.makers.get(name)
    if node is None or node.domain not in ("", "ai.onnx"):
        return None
    if node.op_type in ("Shape", "Size"):
        return _of_shape(node, facts)
    if node.op_type not in _FOLDED:
        return None
    look = _partly if node.op_type in _MOVING else known
    values = [look(one, facts) if one else None for one in node.input]
    if any(one and value is None for one, value in zip(node.input, values, strict=True)):
        return None
    return _computed(node, [one for one in values if one is not None], facts.opset)


def _of_shape(node: onnx.NodeProto, facts: Facts) -> np.ndarray | None:
    if node.op_type == "Size":
        counted = _partly(node.input[0], facts)
        if counted is not None:
            return np.array(counted.size)
    shape = facts.shapes.get(node.input[0])
    if shape is None or (node.op_type == "Size" and None in shape):
        return None
    sizes = np.array([_FREE if one is None else one for one in shape], np.int64)
    if node.op_type == "Size":
        return np.asarray(sizes.prod())
    ends = {one.name: one.i for one in node.attribute}
    return sizes[ends.get("start", 0) : ends.get("end", len(sizes))]


def _computed(node: onnx.NodeProto, values: list[np.ndarray], opset: int) -> np.ndarray | None:
    import onnx
    import onnx.reference

    helper = onnx.helper
    given = [one for one in node.input if one]
    inputs = [
        helper.make_tensor_value_info(
            one, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for one, value in dict(zip(given, values, strict=True)).items()
    ]
    outputs = [onnx.ValueInfoProto(name=node.output[0])]
    graph = helper.make_graph([node], "one", inputs, outputs)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    try:
        runner = onnx.reference.ReferenceEvaluator(made)
        found = runner.run(None, dict(zip(given, values, strict=True)))
    except Exception:  # noqa: BLE001 - what it cannot work out is not known
        return None
    return np.asarray(found[0])
