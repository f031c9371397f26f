"""Recommenders as they are written in the field, small."""

import torch
from torch import nn
from torch.nn import functional


class Dlrm(nn.Module):
    """Two ids fields, one of them a bag, and numbers; dot products between all."""

    def __init__(self, rows: int = 1200, dim: int = 8) -> None:
        super().__init__()
        self.user = nn.Embedding(rows, dim)
        self.tags = nn.EmbeddingBag(rows, dim, mode="sum")
        self.bottom = nn.Sequential(nn.Linear(4, dim), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(dim + 3, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, user, tags, numbers):
        bottom = self.bottom(numbers)
        vectors = torch.stack([bottom, self.user(user), self.tags(tags)], dim=1)
        dots = torch.bmm(vectors, vectors.transpose(1, 2))
        pairs = dots[:, [0, 0, 1], [1, 2, 2]]
        return torch.sigmoid(self.top(torch.cat([bottom, pairs], dim=1))).squeeze(-1)


class WideDeep(nn.Module):
    """One matrix of ids, a column a field; a wide part of single weights."""

    def __init__(self, rows: tuple[int, ...] = (1100, 1300, 20), dim: int = 8) -> None:
        super().__init__()
        self.wide = nn.ModuleList(nn.Embedding(count, 1) for count in rows)
        self.deep = nn.ModuleList(nn.Embedding(count, dim) for count in rows)
        self.mlp = nn.Sequential(
            nn.Linear(dim * len(rows) + 3, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1)
        )

    def forward(self, ids, numbers):
        wide = sum(table(ids[:, at]) for at, table in enumerate(self.wide))
        deep = torch.cat([table(ids[:, at]) for at, table in enumerate(self.deep)], dim=-1)
        return torch.sigmoid(wide + self.mlp(torch.cat([deep, numbers], dim=-1)))


class DeepFm(nn.Module):
    """All fields in one table, each from its own row on; the same ids read two tables."""

    def __init__(self, counts: tuple[int, ...] = (700, 500, 30), dim: int = 8) -> None:
        super().__init__()
        starts = torch.tensor([0, *counts[:-1]]).cumsum(0)
        self.register_buffer("starts", starts)
        self.first = nn.Embedding(sum(counts), 1)
        self.second = nn.Embedding(sum(counts), dim)
        self.mlp = nn.Sequential(nn.Linear(dim * len(counts), 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, ids):
        vectors = self.second(ids + self.starts)
        first = self.first(ids + self.starts).sum(1)
        crossed = 0.5 * (vectors.sum(1).square() - vectors.square().sum(1)).sum(1, keepdim=True)
        return {"score": torch.sigmoid(first + crossed + self.mlp(vectors.flatten(1)))}


class Din(nn.Module):
    """A history of items that stays unpooled for attention; 0 is padding."""

    def __init__(self, rows: int = 1500, dim: int = 8) -> None:
        super().__init__()
        self.items = nn.Embedding(rows, dim, padding_idx=0)
        self.attention = nn.Sequential(nn.Linear(4 * dim, 8), nn.Sigmoid(), nn.Linear(8, 1))
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 8), nn.PReLU(), nn.Linear(8, 1))

    def forward(self, history, item):
        keys, query = self.items(history), self.items(item)
        wide = query.unsqueeze(1).expand_as(keys)
        weights = self.attention(torch.cat([wide, keys, wide - keys, wide * keys], dim=-1))
        weights = weights * (history != 0).unsqueeze(-1)
        pooled = (weights * keys).sum(1)
        return self.mlp(torch.cat([query, pooled], dim=-1)), weights.squeeze(-1)


class TwoTower(nn.Module):
    """Two towers that share one table; the second reads the first's ids once more."""

    def __init__(self, rows: int = 1500, dim: int = 8) -> None:
        super().__init__()
        self.entities = nn.Embedding(rows, dim)
        self.left, self.right = nn.Linear(dim, dim), nn.Linear(2 * dim, dim)

    def forward(self, user, item):
        left = functional.normalize(self.left(self.entities(user)), dim=-1)
        both = torch.cat([self.entities(item), self.entities(user.clone())], dim=-1)
        right = functional.normalize(self.right(both), dim=-1)
        return (left * right).sum(-1)


class Propagated(nn.Module):
    """Users' and items' vectors are mixed along a graph before they are looked up."""

    def __init__(self, rows: int = 600, dim: int = 8) -> None:
        super().__init__()
        self.rows = rows
        self.users, self.items = nn.Embedding(rows, dim), nn.Embedding(rows, dim)
        self.register_buffer("graph", (torch.rand(2 * rows, 2 * rows) > 0.99).float() / 10)

    def forward(self, user, item):
        own = torch.cat([self.users.weight, self.items.weight])
        users, items = torch.split((own + self.graph @ own) / 2, [self.rows, self.rows])
        return (users[user] * items[item]).sum(-1)


class PairwiseProducts(nn.Module):
    """Products of all pairs of fields, chosen by a constant mask."""

    def __init__(self, rows: int = 1100, fields: int = 4, dim: int = 4) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, dim)
        mask = torch.triu(torch.ones(fields, fields), diagonal=1).bool()
        self.register_buffer("mask", mask)
        self.out = nn.Linear(fields * (fields - 1) // 2, 1)

    def forward(self, ids):
        vectors = self.table(ids)
        dots = torch.bmm(vectors, vectors.transpose(1, 2))
        return self.out(torch.masked_select(dots, self.mask).view(ids.shape[0], -1)).squeeze(-1)
