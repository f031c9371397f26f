"""The node tests that the onnx package brings: a model, what goes in and what comes out."""

import warnings
from collections.abc import Sequence
from functools import cache

import numpy as np
import onnx
import torch
from onnx.backend.test.case.test_case import TestCase

#: A tensor, a sequence of tensors, or nothing.
Value = torch.Tensor | list[torch.Tensor] | None


@cache
def node_cases() -> dict[str, TestCase]:
    """Make all cases, by name: this runs the onnx package's own examples."""
    from onnx.backend.test.case import node  # noqa: PLC0415 - collects when it is imported

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {case.name: case for case in node.collect_testcases(None)}


def to_torch(value: object) -> Value:
    """Make torch tensors of what a case holds; numpy's bfloat16 is not torch's."""
    if value is None:
        return None
    if isinstance(value, Sequence):
        return [to_torch(each) for each in value]
    array = onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    array = np.array(array)
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def assert_same(got: Value, wanted: Value, *, rtol: float = 1e-3, atol: float = 1e-5) -> None:
    """Hold a value against another: kind, type, shape and numbers, NaN being like NaN."""
    if isinstance(wanted, list):
        assert isinstance(got, list)
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            assert_same(one, other, rtol=rtol, atol=atol)
    elif wanted is None:
        assert got is None
    else:
        assert isinstance(got, torch.Tensor)
        torch.testing.assert_close(
            comparable(got), comparable(wanted), rtol=rtol, atol=atol, equal_nan=True
        )
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape


def comparable(tensor: torch.Tensor) -> torch.Tensor:
    """Widen what torch can hardly compare."""
    wide = tensor.dtype in (torch.uint16, torch.uint32)
    if tensor.dtype == torch.uint64:
        return tensor.view(torch.int64)
    if tensor.is_floating_point():
        return tensor.double()
    return tensor.to(torch.int64) if wide else tensor
