"""Attention in OpenVINO's graphs, with a mask where it has none."""

from typing import Any

import numpy as np

#: Where an operator for attention takes its mask, behind queries, keys and values; then a scale.
_MASK = 3

#: What gives scores that no mask was added to.
_SCORES = frozenset(("MatMul", "Multiply", "Divide"))


def mask_attention(openvino: Any, model: Any) -> None:  # noqa: ANN401 - untyped
    """Give attention over a free number of words a mask that hides none of them.

    OpenVINO's kernel for CPUs (2025.4 to 2026.4), without a mask, answers wrong for all lengths
    once it has answered for one word first. With a mask whose size it cannot know before, it is
    right, and as fast. What is no operator yet, OpenVINO makes one of as it compiles.
    """
    ops, masked = openvino.opset13, False
    for node in model.get_ordered_ops():
        kind = node.get_type_name()
        if kind == "ScaledDotProductAttention":
            masked |= _mask_operator(openvino, ops, node)
        elif kind == "Softmax" and _weighs(node):
            _mask_scores(ops, node)
            masked = True
    if masked:
        model.validate_nodes_and_infer_types()


def _mask_operator(openvino: Any, ops: Any, node: Any) -> bool:  # noqa: ANN401 - untyped
    given = [node.input_value(at) for at in range(node.get_input_size())]
    stored = [value for value in given[_MASK : _MASK + 1] if _is_stored(value)]
    hidden = len(given) > _MASK and not stored
    if hidden or node.get_attributes()["causal"] or given[1].get_partial_shape()[-2].is_static:
        return False
    mask = _nothing(ops, given[1], -2)
    if stored:
        mask = ops.add(mask, stored[0])
    masked = ops.scaled_dot_product_attention(*given[:_MASK], mask, *given[_MASK + 1 :])
    masked.set_friendly_name(node.get_friendly_name())
    openvino.utils.replace_node(node, masked)
    return True


def _mask_scores(ops: Any, node: Any) -> None:  # noqa: ANN401 - untyped
    scores = node.input_value(0)
    node.input(0).replace_source_output(ops.add(scores, _nothing(ops, scores, -1)).output(0))


def _weighs(node: Any) -> bool:  # noqa: ANN401 - untyped
    """Tell whether a softmax over a free number of words weighs values, with no mask before."""
    scores = node.input_value(0)
    shape = scores.get_partial_shape()
    if shape.rank.is_dynamic or shape[-1].is_static:
        return False
    readers = [target.get_node().get_type_name() for target in node.output(0).get_target_inputs()]
    over_words = node.get_attributes()["axis"] in (-1, len(shape) - 1)
    return over_words and "MatMul" in readers and _is_unmasked(scores.get_node())


def _is_unmasked(scores: Any) -> bool:  # noqa: ANN401 - untyped
    """Tell whether nothing was added to scores, or what is stored and so of no free size."""
    if scores.get_type_name() != "Add":
        return scores.get_type_name() in _SCORES
    return any(_is_stored(scores.input_value(at)) for at in (0, 1))


def _is_stored(value: Any) -> bool:  # noqa: ANN401 - untyped
    """Tell a constant, be it written in half precision."""
    node = value.get_node()
    if node.get_type_name() == "Convert":
        node = node.input_value(0).get_node()
    return bool(node.get_type_name() == "Constant")


def _nothing(ops: Any, like: Any, axis: int) -> Any:  # noqa: ANN401 - untyped
    """Return zeros `[1, words]`, as many as an axis of a value is long."""
    words = ops.gather(ops.shape_of(like), ops.constant([axis]), ops.constant(0))
    zero = ops.constant(np.zeros((), like.get_element_type().to_dtype()))
    return ops.broadcast(zero, ops.concat([ops.constant(np.array([1])), words], 0))
