"""A DLRM (Naumov et al., arXiv:1906.00091) for MovieLens: will this user like this movie?"""

from itertools import pairwise

import torch
from torch import nn


def mlp(*widths: int) -> nn.Sequential:
    """Stack linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for width, following in pairwise(widths):
        layers += [nn.Linear(width, following), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Dlrm(nn.Module):
    """Sparse features through tables, dense features through an MLP, products of all pairs on top.

    The movie table is read twice: for the movie in question and, as a mean, for the
    movies that the user liked last. Movie 0 pads the history.
    """

    def __init__(self, users: int, movies: int, jobs: int, numbers: int, width: int) -> None:
        super().__init__()
        self.users = nn.Embedding(users, width)
        self.movies = nn.EmbeddingBag(movies, width, mode="mean", padding_idx=0)
        self.jobs = nn.Embedding(jobs, width)
        self.bottom = mlp(numbers, 64, width)
        self.top = mlp(width + 10, 64, 32, 1)
        self.register_buffer("pairs", torch.triu_indices(5, 5, offset=1), persistent=False)

    def forward(
        self,
        user: torch.Tensor,
        movie: torch.Tensor,
        history: torch.Tensor,
        job: torch.Tensor,
        numbers: torch.Tensor,
    ) -> torch.Tensor:
        """Give the probability of a rating of 4 or 5, [batch]."""
        dense = self.bottom(numbers)
        movie_vector = nn.functional.embedding(movie, self.movies.weight)
        vectors = [dense, self.users(user), movie_vector, self.movies(history), self.jobs(job)]
        stack = torch.stack(vectors, dim=1)
        products = stack @ stack.transpose(1, 2)
        pairs = products[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([dense, pairs], dim=1))).squeeze(1)


def build(users: int, movies: int, jobs: int, numbers: int, width: int = 32) -> nn.Module:
    """Make the module, untrained."""
    return Dlrm(users, movies, jobs, numbers, width)
