"""Bring models with batch normalisation to answers of order 1: their statistics must be true."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.zoo.weights import draw
from registry.signature import Input

if TYPE_CHECKING:
    import torch

#: Rows that statistics are taken from.
_ROWS = 8

#: Sizes of axes that the job has free.
_SIZE = 8

#: Least variance of a layer.
_LEAST = 1e-3


def settled(inputs: Sequence[Input], sizes: dict[str, int] | None = None) -> "Settle":
    """Return what draws a model's weights and takes its statistics from inputs like these."""
    return Settle(tuple(inputs), sizes or {})


class Settle:
    """Draw weights anew, then let each normalisation see the values that reach it."""

    def __init__(self, inputs: tuple[Input, ...], sizes: dict[str, int]) -> None:
        self.inputs, self.sizes = inputs, sizes

    def __call__(self, module: "torch.nn.Module") -> None:
        import torch

        draw(module)
        norms = [
            m for m in module.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)
        ]
        if not any("Norm" in type(one).__name__ for one in module.modules()):
            _keep_spread(module)
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # the mean over what is seen
            norm.train()
        if norms:
            with torch.no_grad():
                module(*map(self._rows, self.inputs))
        module.eval()
        for norm in norms:
            # A quiet channel would be blown up, and rounding errors with it, in layer after layer.
            norm.running_var.clamp_(min=max(_LEAST, float(norm.running_var.mean())))

    def _rows(self, given: Input) -> "torch.Tensor":
        """Make rows of noise and, as the hostile cases have, of single values and of two."""
        import torch

        shape = [dim if isinstance(dim, int) else self.sizes.get(dim, _SIZE) for dim in given.shape]
        shape[0] = _ROWS if isinstance(given.shape[0], str) else shape[0]
        low, high = given.range or (-1.0, 1.0)
        rows = torch.rand(shape) * (high - low) + low
        rows[0], rows[1] = low, high
        rows[2:4] = torch.where(rows[2:4] > (low + high) / 2, high, low)
        return rows.to(getattr(torch, given.dtype.value))


def _keep_spread(module: "torch.nn.Module") -> None:
    """Widen filters by what each ReLU takes away: without normalisation it would fade."""
    import torch

    with torch.no_grad():
        for layer in module.modules():
            if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear):
                layer.weight.mul_(2**0.5)
