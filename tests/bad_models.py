"""Models with one fault each, as a user's factory would build them; jobs name them."""

import warnings

import numpy as np
import torch
from torch import nn

ROWS = 1200


class Sound(nn.Module):
    """A table, a layer and a score: nothing wrong with it."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.items = nn.Embedding(ROWS, width)
        self.deep = nn.Linear(width + 4, 1)

    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return self.deep(torch.cat([self.vectors(ids), x], dim=1)).squeeze(1)

    def vectors(self, ids: torch.Tensor) -> torch.Tensor:
        return self.items(ids)


def sound(width: int = 8) -> nn.Module:
    torch.manual_seed(3)
    return Sound(width)


class Talkative(Sound):
    """It warns whenever it answers, as a package does that is about to change."""

    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        warnings.warn("scores will be <logits> from the next release on", stacklevel=2)
        return super().forward(ids, x)


def talkative() -> nn.Module:
    torch.manual_seed(3)
    return Talkative()


def raises() -> nn.Module:
    raise ValueError("the vocabulary is not there")


def leaves() -> nn.Module:
    raise SystemExit(3)


def needs_an_argument(width: int) -> nn.Module:
    return Sound(width)


def returns_a_list() -> list[int]:
    return [1, 2]


def returns_nothing() -> None:
    return None


def returns_the_class() -> type[nn.Module]:
    return Sound


a_number = 7


class Baked(Sound):
    """Goes through the batch row by row, which unrolls the batch that it was traced with."""

    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return super().forward(ids, torch.stack([row / row.norm() for row in x]))


class Escaping(Sound):
    """Takes numbers out of the graph and back, where no trace sees them."""

    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return super().forward(ids, x) + float(np.ones(len(x)).sum())


class BakedWeight(Sound):
    """Adds a weight of one row for each row of the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.ones(16))

    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return super().forward(ids, x) + self.bias


class Block(nn.Module):
    """Uses an operator that ONNX has no form of."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.special.bessel_j0(x)


class Unsupported(Sound):
    def __init__(self) -> None:
        super().__init__()
        self.tower = nn.Sequential(nn.Linear(4, 4), Block())

    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return super().forward(ids, self.tower(x))


class Branching(Sound):
    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return super().forward(ids, x)
        return super().forward(ids, -x)


class Complex(Sound):
    """Answers in a type that no target has."""

    def forward(self, ids: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.complex(super().forward(ids, x), x[:, 0])


class Hungry(Sound):
    """Wants more memory than any host has."""

    def __init__(self) -> None:
        super().__init__()
        self.more = nn.Parameter(torch.ones(1 << 22, 1 << 22))
