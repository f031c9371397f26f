"""FBGEMM's operators of jagged tensors in torch's own, which other formats know."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from converters.quiet import TORCH_EXPORT, quiet

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram


def with_own_operators(program: "ExportedProgram") -> "ExportedProgram":
    """Write FBGEMM's operators as others, as far as they are known here; answers stay the same."""
    known = {node.target for node in program.graph.nodes if str(node.target) in _FORMS}
    if not known:
        return program
    forms: dict[Any, Callable[..., Any]] = {one: _FORMS[str(one)] for one in known}
    with quiet("torch.export", *TORCH_EXPORT):
        return program.run_decompositions(forms)


def starts_and_end(lengths: "torch.Tensor") -> "torch.Tensor":
    """Count from lengths [bags] where bags begin, and last the end: [bags + 1], of their type."""
    import torch

    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0, dtype=lengths.dtype)])


def _padded(
    values: "torch.Tensor",
    offsets: "Sequence[torch.Tensor]",
    max_lengths: Sequence[int],
    padding_value: float = 0.0,
) -> "torch.Tensor":
    """Lay bags of values [total, …] side by side: [bags, length, …]; what is beyond is left out."""
    import torch

    (ends,), (length,) = offsets, max_lengths
    places = ends[:-1, None] + torch.arange(length, dtype=ends.dtype)
    padding = values.new_full((1, *values.shape[1:]), padding_value)
    at = torch.where(places < ends[1:, None], places, values.shape[0])
    found = torch.cat([values, padding]).index_select(0, at.reshape(-1))
    return found.reshape(-1, length, *values.shape[1:])


def _padded_rows(
    values: "torch.Tensor", offsets: "torch.Tensor", max_sequence_length: int
) -> "torch.Tensor":
    return _padded(values, [offsets], [max_sequence_length])


_FORMS: dict[str, Callable[..., Any]] = {
    "fbgemm.asynchronous_complete_cumsum.default": starts_and_end,
    "fbgemm.jagged_to_padded_dense.default": _padded,
    "fbgemm.jagged_2d_to_dense.default": _padded_rows,
}
