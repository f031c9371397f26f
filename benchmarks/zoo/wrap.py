"""Models whose inputs are no tensors of their own: a dict of features, or one matrix of columns."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def takes_dict(model: "torch.nn.Module", names: tuple[str, ...]) -> "torch.nn.Module":
    """Return a module that takes tensors in the order of the names, and hands on a dict."""
    import torch

    class TakesDict(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *tensors: torch.Tensor) -> object:
            return self.model(dict(zip(names, tensors, strict=True)))

    return TakesDict()


def adds_column(model: "torch.nn.Module") -> "torch.nn.Module":
    """Return a module that takes the last column of its one matrix as an input of its own."""
    import torch

    class AddsColumn(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, matrix: torch.Tensor, column: torch.Tensor) -> object:
            return self.model(torch.cat([matrix, column.unsqueeze(1)], dim=1))

    return AddsColumn()
