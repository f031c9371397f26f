"""One chunk of a tensor, which is the tensor."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@contextmanager
def single_chunk_is_whole() -> Iterator[None]:
    """Trace a tensor that is cut into one chunk as it is.

    Torch asks whether that gives one piece, (2n - 1) // n == 1 of a free axis, and cannot show it.
    """
    import torch

    with ExitStack() as stack:
        for owner in (torch, torch.Tensor):
            stack.callback(setattr, owner, "chunk", owner.chunk)
            owner.chunk = _whole_or(owner.chunk)
        yield


def _whole_or(
    cut: "Callable[..., tuple[torch.Tensor, ...]]",
) -> "Callable[..., tuple[torch.Tensor, ...]]":
    def chunk(input: "torch.Tensor", chunks: int, dim: int = 0) -> "tuple[torch.Tensor, ...]":  # noqa: A002  torch's own signature
        return (input,) if chunks == 1 else cut(input, chunks, dim)

    return chunk
