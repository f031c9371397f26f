"""Encoders of sequences and pictures."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Self-attention and a feed-forward layer."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.first, self.second = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.feed = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, states, mask):
        batch, length, dim = states.shape
        split = self.qkv(states).view(batch, length, 3, self.heads, dim // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        scores = query @ key.transpose(-1, -2) / (dim // self.heads) ** 0.5
        weights = (scores + mask).softmax(-1)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, dim)
        states = self.first(states + self.out(mixed))
        return self.second(states + self.feed(states))


class Bert(nn.Module):
    """Words, segments and positions; the mean of the states of what is not padding."""

    def __init__(self, rows: int = 1100, dim: int = 16, longest: int = 64) -> None:
        super().__init__()
        self.words = nn.Embedding(rows, dim, padding_idx=0)
        self.positions = nn.Embedding(longest, dim)
        self.register_buffer("position_ids", torch.arange(longest).unsqueeze(0), persistent=False)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(Block(dim, 2) for _ in range(2))

    def forward(self, words):
        mask = words != 0
        positions = self.positions(self.position_ids[:, : words.shape[1]])
        states = self.norm(self.words(words) + positions)
        added = (1.0 - mask[:, None, None, :].float()) * -10000.0
        for block in self.blocks:
            states = block(states, added)
        shares = mask.unsqueeze(-1).float()
        return (states * shares).sum(1) / shares.sum(1).clamp(min=1.0)


class Recurrent(nn.Module):
    """A recurrent layer over a sequence of items."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.items = nn.Embedding(rows, dim)
        self.layer = nn.GRU(dim, dim, batch_first=True)

    def forward(self, items):
        return self.layer(self.items(items))[0][:, -1]


class Pyramid(nn.Module):
    """A number for each pixel: halved twice, doubled twice, with what was there on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(n, 6, 3, stride=2, padding=1) for n in (2, 6))
        self.third, self.out = nn.Conv2d(12, 6, 3, padding=1), nn.Conv2d(8, 1, 3, padding=1)

    def forward(self, picture):
        half = functional.relu(self.first(picture))
        quarter = functional.relu(self.second(half))
        back = functional.interpolate(quarter, scale_factor=2.0, mode="nearest")
        joined = functional.relu(self.third(torch.cat([half, back], dim=1)))
        whole = functional.interpolate(joined, scale_factor=2.0, mode="nearest")
        return self.out(torch.cat([picture, whole], dim=1))


class Picture(nn.Module):
    """A picture in, classes out; nothing is looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, stride=2), nn.Conv2d(8, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.out = nn.Linear(8, 5)

    def forward(self, picture):
        inner = functional.relu(self.norm(self.first(picture)))
        return self.out(self.second(inner).mean((2, 3)))
