"""Draw weights with which answers are of order 1: parity of answers near 1e-9 says nothing."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def draw(module: "torch.nn.Module") -> None:
    """Draw all parameters and running statistics anew; the caller has set the seed."""
    import torch

    tables = {
        id(layer.weight)
        for layer in module.modules()
        if isinstance(layer, torch.nn.Embedding | torch.nn.EmbeddingBag)
    }
    with torch.no_grad():
        for name, tensor in module.named_parameters():
            if tensor.is_floating_point():
                _draw_one(name, tensor, is_table=id(tensor) in tables)
        for name, tensor in module.named_buffers():
            if name.endswith("running_mean"):
                tensor.normal_(0, 0.1)
            elif name.endswith("running_var"):
                tensor.uniform_(0.5, 1.5)


def _draw_one(name: str, tensor: "torch.Tensor", *, is_table: bool) -> None:
    if is_table:
        tensor.normal_(0, 0.5)
    elif tensor.dim() > 1:
        tensor.normal_(0, (tensor.shape[0] / max(1, tensor.numel())) ** 0.5)
    elif name.endswith("bias"):
        tensor.normal_(0, 0.1)
    elif name.endswith("weight"):
        tensor.normal_(1, 0.1)
    else:
        tensor.normal_(0, 0.3)
