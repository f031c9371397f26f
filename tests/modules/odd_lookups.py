"""Lookups that are not a plain module called with an input."""

import torch
from torch import nn
from torch.nn import functional


class Functional(nn.Module):
    """Functional lookup, indexing and index_select, each into a parameter."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.called = nn.Parameter(torch.randn(rows, dim))
        self.indexed = nn.Parameter(torch.randn(rows, dim))
        self.selected = nn.Parameter(torch.randn(rows, dim))

    def forward(self, ids):
        called = functional.embedding(ids, self.called)
        return called + self.indexed[ids] * torch.index_select(self.selected, 0, ids)


class Ranks(nn.Module):
    """Rows that are single numbers, and rows that are matrices; one matrix of a stack."""

    def __init__(self, rows: int = 1100) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(rows))
        self.matrices = nn.Parameter(torch.randn(rows, 2, 3))
        self.stack = nn.Parameter(torch.randn(3, rows, 3))

    def forward(self, ids):
        return self.bias[ids].unsqueeze(-1) + self.matrices[ids].sum(1) * self.stack[2][ids]


class Hashed(nn.Module):
    """Ids that are worked out: shifted, hashed, cast."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.rows = rows
        self.shifted, self.hashed = nn.Embedding(rows, dim), nn.Embedding(rows, dim)

    def forward(self, ids):
        hashed = (ids * 2654435761 + 11) % self.rows
        shifted = torch.clamp(ids.long() + 3, max=self.rows - 1)
        return torch.tanh(self.shifted(shifted)) * self.hashed(hashed) + self.shifted(shifted)


class Salted(nn.Module):
    """Ids that depend on where they stand; the dense part wants the length as well."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.rows = rows
        self.words, self.places = nn.Embedding(rows, dim), nn.Embedding(64, dim)

    def forward(self, words):
        at = torch.arange(words.shape[1])
        return self.words((words + 7 * at) % self.rows) * self.places(at)


class Bare(nn.Module):
    """Nothing but a lookup, and an input that is not used."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, dim)

    def forward(self, ids, unused):
        return self.table(ids)


class InPlace(nn.Module):
    """Ids that are mended in place before they are looked up."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, dim)

    def forward(self, ids):
        mended = ids.clone()
        mended[mended < 5] = 5
        mended.add_(1)
        return torch.relu(self.table(mended))


class FloatIds(nn.Module):
    """Ids and numbers in one float matrix."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, dim)
        self.out = nn.Linear(2 * dim + 2, 1)

    def forward(self, features):
        vectors = self.table(features[:, :2].long()).flatten(1)
        return self.out(torch.cat([vectors, features[:, 2:]], dim=1))


class Expression(nn.Module):
    """Looks up rows of what is worked out from a parameter, and of the parameter itself."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, dim))

    def forward(self, ids):
        scaled = functional.embedding(ids, self.weight * 0.5 + 1)
        return scaled + functional.embedding(ids, self.weight)


class Shortened(nn.Module):
    """Tables that shorten their rows in place as they are looked up."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, dim, max_norm=1.0)
        self.bag = nn.EmbeddingBag(rows, dim, max_norm=0.5, mode="sum")
        self.small = nn.Embedding(20, dim, max_norm=0.5)

    def forward(self, ids, tags, kind):
        return self.table(ids) + self.bag(tags) + self.small(kind)


class Tied(nn.Module):
    """The table is the output projection too."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, dim)
        self.inner = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, rows, bias=False)
        self.out.weight = self.table.weight

    def forward(self, ids):
        return self.out(torch.tanh(self.inner(self.table(ids).mean(1))))


class Positions(nn.Module):
    """Positions are looked up as well, by no input's value."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(rows, dim), nn.Embedding(rows, dim)
        self.out = nn.Linear(dim, 2)

    def forward(self, words):
        places = self.places(torch.arange(words.shape[1], device=words.device))
        return self.out(self.words(words) + places)


class Chained(nn.Module):
    """A user's history is looked up, then the items in it."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.register_buffer("history", torch.randint(0, rows, (rows, 3)))
        self.items = nn.Embedding(rows, dim)

    def forward(self, user):
        return self.items(functional.embedding(user, self.history)).sum(1)


class Hops(nn.Module):
    """From a user to items to their shops to towns, with arithmetic and padding on the way."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.rows = rows
        self.register_buffer("history", torch.randint(-1, rows, (rows, 3)))
        self.register_buffer("shop", torch.randint(0, rows, (rows,), dtype=torch.int32))
        self.items, self.shops = nn.Embedding(rows, dim), nn.EmbeddingBag(rows, dim, mode="mean")
        self.out = nn.Linear(2 * dim + 4, 2)

    def forward(self, user, numbers):
        history = functional.embedding(user, self.history)
        known = history.clamp(min=0)
        shops = self.shop[known].long()
        items = (self.items(known) * (history >= 0).unsqueeze(-1)).sum(1)
        towns = self.shops((shops * 31 + user.unsqueeze(1)) % self.rows)
        latest = self.items.weight[history[:, -1]]
        return self.out(torch.cat([torch.tanh(items) + latest, towns, numbers], dim=1))


class Neighbours(nn.Module):
    """The rows of what is next to what is next to a node of a graph."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.next = nn.Parameter(torch.randint(0, rows, (rows, 2)), requires_grad=False)
        self.nodes = nn.Embedding(rows, dim)

    def forward(self, node):
        near = functional.embedding(node, self.next)
        far = functional.embedding(near, self.next)
        return torch.tanh(self.nodes(far).sum(dim=(2, 3)))


class Nearest(nn.Module):
    """The row that is most like another one."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.items, self.others = nn.Embedding(rows, dim), nn.Embedding(rows, dim)

    def forward(self, item):
        return self.others(self.items(item).argmax(-1))


class Codebook(nn.Module):
    """The network chooses the row."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.choose = nn.Linear(4, rows)
        self.table = nn.Embedding(rows, dim)

    def forward(self, numbers):
        return self.table(self.choose(numbers).argmax(-1))


class Branches(nn.Module):
    """A lookup in a branch that data decide on, and one outside of it."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.inside, self.outside = nn.Embedding(rows, dim), nn.Embedding(rows, dim)

    def forward(self, ids):
        table = self.inside.weight
        inner = torch.cond(
            ids.sum() > 100,
            lambda i, w: functional.embedding(i, w) + 1.0,
            lambda i, w: functional.embedding(i, w) - 1.0,
            (ids, table),
        )
        return inner + self.outside(ids)


class Gathered(nn.Module):
    """Rows are picked in a way that is no lookup."""

    def __init__(self, rows: int = 1100, dim: int = 8) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, dim))

    def forward(self, ids):
        return torch.gather(self.weight, 0, ids)
