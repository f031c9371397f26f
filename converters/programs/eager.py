"""Let an unsplit torch module answer arrays with arrays."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Brief, RefusalError
from converters.dtypes import dtype_of_torch, numpy_dtype
from converters.programs.forward import call_in_order
from converters.programs.signature import output_names
from registry.errors import SourceError
from registry.signature import DType

if TYPE_CHECKING:
    import torch

#: What torch says of ids and offsets that it refuses, where it does not raise IndexError.
_REFUSED = re.compile(r"out of (range|bounds)|valid range|index|idx|offset", re.IGNORECASE)


def answering(module: "torch.nn.Module", brief: Brief) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Give a function that runs the module, in inference mode, on the job's inputs.

    The function raises:
        RefusalError: Ids or offsets are out of range.
        SourceError: An output is not a tensor.
    """
    import torch

    call = call_in_order(module, [given.name for given in brief.inputs])

    def answer(arrays: Arrays) -> dict[str, np.ndarray]:
        inputs = [to_torch(arrays[given.name], given.dtype) for given in brief.inputs]
        try:
            with torch.inference_mode():
                result = call(*inputs)
        except IndexError as error:
            raise RefusalError(str(error)) from error
        except (RuntimeError, ValueError) as error:
            if _REFUSED.search(str(error)):
                raise RefusalError(str(error)) from error
            raise
        return named_outputs(result, brief.outputs)

    return answer


def named_outputs(result: object, wanted: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Name what a module returned; outputs that are None do not count."""
    from torch.utils import _pytree

    values = [leaf for leaf in _pytree.tree_leaves(result) if leaf is not None]
    names = output_names(result, wanted)
    return {name: to_numpy(name, value) for name, value in zip(names, values, strict=True)}


def to_torch(array: np.ndarray, dtype: DType) -> "torch.Tensor":
    """Copy an array into a tensor of a type."""
    import torch

    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    return torch.tensor(array).to(getattr(torch, dtype.value))


def to_numpy(name: str, value: "torch.Tensor") -> np.ndarray:
    """Turn an output into an array; bfloat16 stays bfloat16.

    Raises:
        SourceError: It is not a tensor.
    """
    import torch

    if not isinstance(value, torch.Tensor):
        raise SourceError(f"output '{name}' of the model is {value!r}, not a tensor")
    tensor = value.detach().contiguous()
    if dtype_of_torch(tensor.dtype) is DType.BFLOAT16:
        return np.asarray(tensor.view(torch.int16)).view(numpy_dtype(DType.BFLOAT16))
    return np.asarray(tensor)
