"""Products of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.sizes import known

if TYPE_CHECKING:
    from torch import Tensor


def matrix_product(a: Tensor, b: Tensor) -> Tensor:
    """MatMul-1 to 13."""
    import torch

    return torch.matmul(a, b)


def general_product(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,  # noqa: N803 (ONNX's name)
    transB: int = 0,  # noqa: N803 (ONNX's name)
) -> Tensor:
    """Gemm-7 to 13."""
    import torch
    from torch.nn import functional

    left = a.t() if transA else a
    if transB and alpha == 1 and (c is None or (beta == 1 and known(c) == known(b)[:1])):
        return functional.linear(left, b, c)
    made = torch.matmul(left, b.t() if transB else b)
    made = made if alpha == 1 else (made * alpha).to(a.dtype)
    if c is None:
        return made
    return made + (c if beta == 1 else (c * beta).to(a.dtype))


def einsum(*inputs: Tensor, equation: str) -> Tensor:
    """Einsum-12 and 28."""
    import torch

    return torch.einsum(equation.replace(" ", ""), *inputs)
