"""Models of four kinds that runtimes are measured on: random weights, real shapes."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import torch
from torch import nn

from registry.signature import Axis, DType, Ids, Input

SEQUENCE = 64
WORDS = 30522


@dataclass(frozen=True)
class Model:
    """A model, what goes into it, and what its job would say of that."""

    build: Callable[[], nn.Module]
    inputs: tuple[Input, ...]

    def module(self) -> nn.Module:
        torch.manual_seed(0)
        return self.build().eval()

    def arrays(self, batch: int) -> dict[str, np.ndarray]:
        random = np.random.default_rng(0)
        made = {}
        for given in self.inputs:
            sizes: dict[int | str, int] = {"batch": batch, "length": SEQUENCE}
            shape = [sizes.get(dim, dim) for dim in given.shape]
            if given.ids is not None:
                made[given.name] = random.integers(0, WORDS, shape)
            elif given.dtype is DType.INT64:
                made[given.name] = np.ones(shape, np.int64)
            else:
                made[given.name] = random.standard_normal(shape, np.float32)
        return made


AXES = {"batch": Axis(min=1, max=64), "length": Axis(min=1, max=512)}


def numbers(name: str, *shape: int | str) -> Input:
    return Input(name=name, dtype=DType.FLOAT32, shape=shape, range=(-4.0, 4.0))


def layers(*sizes: int) -> nn.Sequential:
    pairs = pairwise(sizes)
    made = [part for wide, deep in pairs for part in (nn.Linear(wide, deep), nn.ReLU())]
    return nn.Sequential(*made[:-1])


class Dense(nn.Module):
    """What is left of DLRM without its tables: 26 vectors, all pairs multiplied."""

    def __init__(self) -> None:
        super().__init__()
        self.below, self.above = layers(13, 512, 256, 64), layers(64 + 351, 512, 256, 1)
        self.register_buffer("pairs", torch.tril_indices(27, 27, -1))

    def forward(self, numbers: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        low = self.below(numbers)
        every = torch.cat([low.unsqueeze(1), vectors], 1)
        products = torch.bmm(every, every.transpose(1, 2)).flatten(1)
        chosen = products.index_select(1, self.pairs[0] * 27 + self.pairs[1])
        return torch.sigmoid(self.above(torch.cat([low, chosen], 1)))


class Block(nn.Module):
    """A residual block."""

    def __init__(self, wide: int, deep: int, step: int) -> None:
        super().__init__()
        self.way = nn.Sequential(
            nn.Conv2d(wide, deep, 3, step, 1, bias=False),
            nn.BatchNorm2d(deep),
            nn.ReLU(),
            nn.Conv2d(deep, deep, 3, 1, 1, bias=False),
            nn.BatchNorm2d(deep),
        )
        self.past = nn.Sequential(nn.Conv2d(wide, deep, 1, step, bias=False), nn.BatchNorm2d(deep))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.way(x) + self.past(x))


def residual() -> nn.Module:
    """Give a small network of images, of ResNet's kind."""
    stem = [nn.Conv2d(3, 32, 7, 2, 3, bias=False), nn.BatchNorm2d(32), nn.ReLU()]
    blocks = [Block(32, 32, 1), Block(32, 64, 2), Block(64, 128, 2), Block(128, 256, 2)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100)]
    return nn.Sequential(*stem, nn.MaxPool2d(3, 2, 1), *blocks, *head)


def encoder() -> nn.Module:
    """Give a sentence encoder of MiniLM's size."""
    from workflows.models.minilm import build

    return build(
        vocab_size=WORDS,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        max_position_embeddings=512,
    )


MODELS = MappingProxyType(
    {
        "MLP": Model(lambda: layers(128, 512, 512, 256, 1), (numbers("x", "batch", 128),)),
        "DLRM dense": Model(
            Dense, (numbers("numbers", "batch", 13), numbers("vectors", "batch", 26, 64))
        ),
        "residual CNN": Model(residual, (numbers("image", "batch", 3, 128, 128),)),
        "MiniLM": Model(
            encoder,
            (
                Input(
                    name="input_ids",
                    dtype=DType.INT64,
                    shape=("batch", "length"),
                    ids=Ids(cardinality=WORDS),
                ),
                Input(
                    name="attention_mask",
                    dtype=DType.INT64,
                    shape=("batch", "length"),
                    range=(0, 1),
                ),
            ),
        ),
    }
)
