"""A small residual network (He et al., arXiv:1512.03385) for 8x8 grey images."""

import torch
from torch import nn


class Block(nn.Module):
    """Two 3x3 convolutions around a shortcut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Keep the shape: [batch, channels, height, width]."""
        return torch.relu(images + self.body(images))


class Digits(nn.Module):
    """Class scores of an image."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, channels, 3, padding=1)
        self.blocks = nn.Sequential(Block(channels), nn.MaxPool2d(2), Block(channels))
        self.head = nn.Linear(channels, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Give the logits of the ten digits, [batch, 10]."""
        return self.head(self.blocks(self.stem(image)).mean(dim=(2, 3)))


def build(channels: int = 32) -> nn.Module:
    """Make the module, untrained."""
    return Digits(channels)
