"""Put the weights of a checkpoint into a module, by mapping them."""

import difflib
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from converters.checkpoints.checkpoint import Checkpoint, find_bad
from converters.checkpoints.stored import Stored, mapped
from converters.dtypes import dtype_of_torch
from registry.composition import Remark
from registry.errors import SourceError
from registry.signature import DType

if TYPE_CHECKING:
    import torch

_FLOATS = (DType.FLOAT64, DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)
_SHOWN = 20


def load_weights(module: "torch.nn.Module", checkpoint: Checkpoint) -> tuple[Remark, ...]:
    """Give a module the weights of a checkpoint, which stay mapped.

    Raises:
        SourceError: Keys are missing, unexpected or of another shape or type; all at once.
    """
    expected = module.state_dict(keep_vars=True)
    tied = _tied(expected, checkpoint.tensors)
    wanted = {name: tensor for name, tensor in expected.items() if name not in tied}
    given = {name: stored for name, stored in checkpoint.tensors.items() if name not in tied}
    if faults := _faults(wanted, given):
        shown = "".join(f"\n  {fault}" for fault in faults[:_SHOWN])
        more = f"\n  and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        raise SourceError(
            f"{checkpoint.file}: the weights do not fit {type(module).__name__}:{shown}{more}\n"
            "Give the factory the arguments that the model was trained with, or other weights"
        )
    state = {name: _tensor(given[name], tensor) for name, tensor in wanted.items()}
    state |= {name: state[first] for name, first in tied.items()}
    module.load_state_dict(state, strict=True, assign=True)
    return (*checkpoint.remarks, *_casts(wanted, given))


def check_numbers(module: "torch.nn.Module", checkpoint: Checkpoint) -> None:
    """Read the checkpoint once, and refuse weights that are not numbers.

    Infinity is refused in parameters alone: masks in buffers may well hold it.

    Raises:
        SourceError: Names all of them.
    """
    import torch

    expected = module.state_dict(keep_vars=True)

    bad = {
        name: said
        for name, said in find_bad(checkpoint).items()
        if isinstance(expected.get(name), torch.nn.Parameter) or said.startswith("NaN")
    }
    if bad:
        listed = ", ".join(f"{name} ({said})" for name, said in list(bad.items())[:_SHOWN])
        raise SourceError(
            f"{checkpoint.file}: {len(bad)} weights are not numbers: {listed}. Take a checkpoint"
            " from before the training diverged"
        )


def _tied(expected: "Mapping[str, torch.Tensor]", held: Mapping[str, Stored]) -> dict[str, str]:
    """Find the names of one and the same parameter: name → the one that the checkpoint has."""
    names: dict[int, list[str]] = {}
    for name, tensor in expected.items():
        names.setdefault(id(tensor), []).append(name)
    tied: dict[str, str] = {}
    for group in names.values():
        first = next((name for name in group if name in held), group[0])
        tied |= {name: first for name in group if name != first}
    return tied


def _faults(wanted: "Mapping[str, torch.Tensor]", given: Mapping[str, Stored]) -> list[str]:
    unexpected = [name for name in given if name not in wanted]
    missing = [name for name in wanted if name not in given]
    faults = []
    for name in missing:
        close = difflib.get_close_matches(name, unexpected, 1)
        hint = f" (the weights have '{close[0]}')" if close else ""
        faults.append(f"missing: {name} {list(wanted[name].shape)}{hint}")
    faults += [f"unexpected: {name} {list(given[name].shape)}" for name in unexpected]
    for name, stored in given.items():
        if name in wanted and tuple(wanted[name].shape) != stored.shape:
            faults.append(
                f"shape: {name} is {list(stored.shape)} in the weights,"
                f" {list(wanted[name].shape)} in the model"
            )
        elif name in wanted and not _castable(stored.dtype, dtype_of_torch(wanted[name].dtype)):
            faults.append(
                f"type: {name} is {stored.dtype} in the weights,"
                f" {dtype_of_torch(wanted[name].dtype)} in the model"
            )
    return faults


def _castable(stored: DType, wanted: DType) -> bool:
    return stored is wanted or (stored in _FLOATS and wanted in _FLOATS)


def _casts(wanted: "Mapping[str, torch.Tensor]", given: Mapping[str, Stored]) -> tuple[Remark, ...]:
    pairs = Counter(
        (stored.dtype, dtype_of_torch(wanted[name].dtype))
        for name, stored in given.items()
        if stored.dtype is not dtype_of_torch(wanted[name].dtype)
    )
    return tuple(
        Remark(by="checkpoint", text=f"{count} weights were cast from {one} to {other}")
        for (one, other), count in pairs.items()
    )


def _tensor(stored: Stored, like: "torch.Tensor") -> "torch.Tensor":
    """Map a tensor, copy on write, as the parameter or buffer that it is."""
    import torch

    array = mapped(stored, writable=True)
    if stored.dtype is DType.BFLOAT16:
        tensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(array)
    tensor = tensor.to(like.dtype)
    if isinstance(like, torch.nn.Parameter):
        return torch.nn.Parameter(tensor, requires_grad=False)
    return tensor
