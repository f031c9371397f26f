"""Models that people reported trouble with, as near to their words as a module can be."""

import torch
from torch import nn


class Bags(nn.Module):
    """Three bags: of pytorch/pytorch#58567, of #128930, and of #25469."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.plain = nn.EmbeddingBag(10, 8)
        self.padded = nn.EmbeddingBag(10, 3, mode="sum", padding_idx=0)
        self.fixed = nn.EmbeddingBag(500, 12)

    def forward(
        self,
        ids: torch.Tensor,
        offsets: torch.Tensor,
        padded_ids: torch.Tensor,
        padded_offsets: torch.Tensor,
        fixed_ids: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return (
            self.plain(ids, offsets) * 2,
            self.padded(padded_ids, padded_offsets) * 2,
            self.fixed(fixed_ids) * 2,
        )


class OneBigTable(nn.Module):
    """A table of more than 2 GiB, which no protobuf holds: of pytorch/pytorch#59906."""

    def __init__(self, rows: int = 9_000_000, width: int = 64) -> None:
        super().__init__()
        self.items = nn.Embedding(rows, width)
        self.score = nn.Linear(width, 1)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.score(self.items(ids)).squeeze(1)
