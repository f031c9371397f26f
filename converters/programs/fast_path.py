"""Attention as torch writes it out, not as the one fused operator that it runs in eager mode."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_fast_path() -> Iterator[None]:
    """Trace nn.TransformerEncoder and nn.MultiheadAttention operator by operator.

    Without gradients torch takes `aten._transformer_encoder_layer_fwd`, which ONNX lacks.
    """
    import torch

    was = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(was)
