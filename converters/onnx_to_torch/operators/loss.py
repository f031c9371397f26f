"""Losses, and what matters to training only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.sizes import Numbers

if TYPE_CHECKING:
    from torch import Tensor

_NO_CLASS = -(1 << 40)


def negative_log_likelihood(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int | None = None,
    reduction: Literal["none", "sum", "mean"] = "mean",
) -> Tensor:
    """NegativeLogLikelihoodLoss-12, 13 and 22."""
    import torch
    from torch.nn import functional

    return functional.nll_loss(
        x,
        target.to(torch.int64),
        weight,
        ignore_index=_NO_CLASS if ignore_index is None else ignore_index,
        reduction=reduction,
    )


def softmax_cross_entropy(
    scores: Tensor,
    labels: Tensor,
    weights: Tensor | None = None,
    *,
    ignore_index: int | None = None,
    reduction: Literal["none", "sum", "mean"] = "mean",
) -> tuple[Tensor, Tensor]:
    """SoftmaxCrossEntropyLoss-12 and 13, with the logarithms of the probabilities."""
    import torch

    logs = torch.log_softmax(scores, 1)
    loss = negative_log_likelihood(
        logs, labels, weights, ignore_index=ignore_index, reduction=reduction
    )
    return loss, logs


def dropout(x: Tensor, *, ratio: float = 0.5) -> tuple[Tensor, Tensor]:
    """Dropout-7 and 10: all passes."""
    import torch

    return x, torch.ones_like(x, dtype=torch.bool)


def dropout_12(
    x: Tensor, ratio: Numbers | None = None, training_mode: Numbers | None = None, *, seed: int = 0
) -> tuple[Tensor, Tensor]:
    """Dropout-12, 13 and 22, for inference, or with nothing to drop."""
    import torch

    if any(isinstance(mode, torch.Tensor) for mode in training_mode or ()):
        raise TypeError("Dropout whose training_mode is computed cannot be traced")
    trains = any(training_mode or ())
    if trains and (ratio is None or ratio[0] != 0):
        raise ValueError("Dropout in training is not supported: import the model for inference")
    return x, torch.ones_like(x, dtype=torch.bool)
