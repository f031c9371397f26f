"""Every way to pool rows."""

import torch
from torch import nn


class Bag(nn.Module):
    """One bag and a layer above it."""

    def __init__(self, rows: int = 1100, dim: int = 8, **options) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(rows, dim, **options)
        self.out = nn.Linear(dim, 3)

    def forward(self, ids, offsets):
        return self.out(self.bag(ids, offsets))


class Bag2d(Bag):
    """Each row of the ids is a bag."""

    def forward(self, ids):
        return self.out(self.bag(ids))


class WeightedBag(Bag):
    """Each id counts by its own weight."""

    def forward(self, ids, offsets, weights):
        return self.out(self.bag(ids, offsets, per_sample_weights=weights))


class WeightedBag2d(Bag):
    """Each id of a row counts by its own weight, which is worked out first."""

    def forward(self, ids, weights):
        return self.out(self.bag(ids, per_sample_weights=weights * 0.5))


class BagBesideNumbers(Bag):
    """The offsets hold the end as well: one more than there are bags."""

    def forward(self, ids, offsets, numbers):
        return self.out(self.bag(ids, offsets)) + torch.tanh(numbers)
