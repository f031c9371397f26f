"""The factory that every job of the zoo names."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

SEED = 20


def build(package: str, model: str) -> "torch.nn.Module":
    """Build a model of a package, with weights that are the same each time."""
    import torch

    from benchmarks.zoo.packages import find_package

    row = find_package(package).model(model)
    torch.manual_seed(SEED)
    module = row.build().eval()
    torch.manual_seed(SEED)
    row.draw(module)
    return module
