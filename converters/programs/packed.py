"""Packed sequences while torch traces: padded as they came, with the lengths beside them.

Packing takes sizes from values, so that no one graph does it for all lengths. What is traced
instead keeps all steps of all sequences, and lets none of those beyond a length be seen: a
PackedSequence holds `data` of shape [time, batch, ...] and, in `batch_sizes`, how many sequences
have each of the `time` steps, with zeros at its end.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch.nn.utils.rnn import PackedSequence


@contextmanager
def packed_as_padded() -> Iterator[None]:
    """Trace packing, recurrent layers over what is packed, and unpacking in one graph."""
    import torch

    with ExitStack() as stack:
        for name, made in (("_pack_padded_sequence", _pack), ("_pad_packed_sequence", _pad)):
            vars(torch._VF)[name] = made
            stack.callback(vars(torch._VF).pop, name)
        for layer in (torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM):
            stack.callback(setattr, layer, "forward", layer.forward)
            layer.forward = _taking_packed(layer.forward)
        yield


def _pack(
    padded: "torch.Tensor",
    lengths: "torch.Tensor",
    batch_first: bool,  # noqa: FBT001  torch's own signature
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Return the steps, time first, and how many sequences have each; longest ones come first."""
    import torch

    data = padded.transpose(0, 1) if batch_first else padded
    steps = torch.arange(data.shape[0], device=data.device)
    return data, (lengths.unsqueeze(0) > steps.unsqueeze(1)).sum(1)


def _pad(
    data: "torch.Tensor",
    counts: "torch.Tensor",
    batch_first: bool,  # noqa: FBT001  torch's own signature
    value: float,
    total: int,
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Return the steps with those beyond each length filled, and the lengths."""
    import torch

    here = _here(data, counts)
    shape = (*here.shape, *(1 for _ in data.shape[2:]))
    filled = torch.where(here.reshape(shape), data, value)
    if isinstance(total, int) and isinstance(data.shape[0], int) and total > data.shape[0]:
        rest = data.new_full((total - data.shape[0], *data.shape[1:]), value)
        filled = torch.cat([filled, rest])
    return filled.transpose(0, 1) if batch_first else filled, here.sum(0)


def _here(data: "torch.Tensor", counts: "torch.Tensor") -> "torch.Tensor":
    """Tell of each step, [time, batch], whether the sequence is that long."""
    import torch

    return counts.unsqueeze(1) > torch.arange(data.shape[1], device=data.device).unsqueeze(0)


def _taking_packed(forward: Callable[..., object]) -> Callable[..., object]:
    def taking(
        layer: "torch.nn.RNNBase", given: "torch.Tensor | PackedSequence", hx: object = None
    ) -> object:
        from torch.nn.utils.rnn import PackedSequence

        if isinstance(given, PackedSequence):
            return _over_packed(layer, given, hx)
        return forward(layer, given, hx)

    return taking


def _over_packed(
    layer: "torch.nn.RNNBase",
    packed: "PackedSequence",
    hx: object,
) -> "tuple[PackedSequence, torch.Tensor]":
    """Run a recurrent layer, direction by direction, and take each last step that there is."""
    import torch
    from torch.nn.utils.rnn import PackedSequence

    if hx is not None or layer.mode == "LSTM" or layer.proj_size:
        raise NotImplementedError(
            f"a packed sequence in {layer.mode} with its own first state or cells cannot be traced:"
            " give the layer padded sequences, and mask what it answers"
        )
    here = _here(packed.data, packed.batch_sizes)
    lengths, data = here.sum(0), packed.data
    directions = 2 if layer.bidirectional else 1
    last: list[torch.Tensor] = []
    for depth in range(layer.num_layers):
        answers = []
        for backward in range(directions):
            weights = layer.all_weights[depth * directions + backward]
            turned = _turned(data, here, lengths) if backward else data
            steps = _run(layer, turned, weights)
            last.append(_at(steps, lengths - 1))
            answers.append(_turned(steps, here, lengths) if backward else steps)
        data = torch.cat(answers, -1) if len(answers) > 1 else answers[0]
    hidden = torch.stack(last)
    back = packed.unsorted_indices
    hidden = hidden if back is None else hidden.index_select(1, back)
    return PackedSequence(data, packed.batch_sizes, packed.sorted_indices, back), hidden


def _run(
    layer: "torch.nn.RNNBase", data: "torch.Tensor", weights: "list[torch.Tensor]"
) -> "torch.Tensor":
    """Run one layer in one direction over all steps, from a state of zeros."""
    import torch

    call = {"GRU": torch.gru, "RNN_TANH": torch.rnn_tanh, "RNN_RELU": torch.rnn_relu}[layer.mode]
    first = data.new_zeros(1, data.shape[1], layer.hidden_size)
    steps, _ = call(data, first, weights, layer.bias, 1, 0.0, False, False, False)  # noqa: FBT003
    return steps


def _at(steps: "torch.Tensor", place: "torch.Tensor") -> "torch.Tensor":
    """Take the step at a place of each sequence."""
    index = place.reshape(1, -1, 1).expand(1, steps.shape[1], steps.shape[2])
    return steps.gather(0, index)[0]


def _turned(steps: "torch.Tensor", here: "torch.Tensor", lengths: "torch.Tensor") -> "torch.Tensor":
    """Turn each sequence round within its length; what is beyond stays."""
    import torch

    time = torch.arange(steps.shape[0], device=steps.device).unsqueeze(1)
    index = torch.where(here, lengths.unsqueeze(0) - 1 - time, time)
    return steps.gather(0, index.unsqueeze(2).expand(steps.shape))
