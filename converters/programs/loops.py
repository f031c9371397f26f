"""Keep recurrent layers as loops while torch takes a graph apart."""

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def recurrent_loops() -> Iterator[None]:
    """Take GRU and LSTM apart into loops: unrolled, they would fix the length of the sequence."""
    from torch.export import _patches

    with (
        _patches.register_gru_while_loop_decomposition(),
        _patches.register_lstm_while_loop_decomposition(),
    ):
        yield
