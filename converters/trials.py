"""Inputs made up for a torch module that came without samples, until it runs on some."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays
from converters.lookups_seen import Seen, watch
from converters.programs.forward import call_in_order

if TYPE_CHECKING:
    import torch

IDS = re.compile(r"(^|_)(ids?|idx|index|indices|item|items|user|users|token|tokens)($|_)")
OFFSETS = re.compile(r"offset|(^|_)starts?($|_)", re.IGNORECASE)

_ROWS, _WIDTH, _LONGER = 2, 3, 5
_SIDES = (32, 224)

#: Combinations that are tried before nothing is said.
_TRIES = 200


@dataclass(frozen=True)
class Trial:
    """Inputs that a module ran on.

    Attributes:
        varies: It ran on integers of another number in a row as well.
    """

    arrays: Arrays
    seen: Seen
    varies: bool


def find_trial(module: "torch.nn.Module", names: Sequence[str], samples: Arrays) -> Trial | None:
    """Try inputs of the shapes that the module's layers suggest; none where no trial runs.

    Args:
        samples: A batch of two of the inputs that are known.
    """
    choices = [
        (samples[name],) if name in samples else tuple(_candidates(module, name)) for name in names
    ]
    for chosen in itertools.islice(itertools.product(*choices), _TRIES):
        arrays = dict(zip(names, chosen, strict=True))
        seen = _run(module, arrays)
        if seen.outputs:
            longer = {
                name: _lengthened(array) if _is_row(name, array, seen) else array
                for name, array in arrays.items()
            }
            grown = any(longer[name] is not arrays[name] for name in names)
            return Trial(arrays, seen, grown and bool(_run(module, longer).outputs))
    return None


def stored_tensors(module: "torch.nn.Module") -> "dict[str, torch.Tensor]":
    """Give the module's parameters and buffers by name."""
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}


def _run(module: "torch.nn.Module", arrays: Arrays) -> Seen:
    import torch

    inputs = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
    return watch(call_in_order(module, tuple(arrays)), inputs, stored_tensors(module))


def _candidates(module: "torch.nn.Module", name: str) -> Iterator[np.ndarray]:
    """Give what may be the input, the likeliest by its name first."""
    if OFFSETS.search(name):
        yield np.arange(_ROWS)
    whole = tuple(_integers(module))
    floats = tuple(np.ones(shape, np.float32) for shape in _shapes(module))
    is_named = bool(IDS.search(name)) or _names_table(module, name)
    yield from (*whole, *floats) if is_named else (*floats, *whole)


def _integers(module: "torch.nn.Module") -> Iterator[np.ndarray]:
    tables = len(_dims(module))
    for shape in dict.fromkeys(((_ROWS,), (_ROWS, _WIDTH), (_ROWS, tables))):
        if 0 not in shape:
            yield np.zeros(shape, np.int64)


def _shapes(module: "torch.nn.Module") -> Iterator[tuple[int, ...]]:
    """Give shapes of floats by the layers, in the order in which the module has them."""
    import torch

    layers = tuple(module.modules())
    for one in layers:
        if isinstance(one, torch.nn.Conv2d):
            yield from ((_ROWS, one.in_channels, side, side) for side in _SIDES)
            break
    for one in layers:
        if isinstance(one, torch.nn.RNNBase):
            yield (_ROWS, _WIDTH, one.input_size)
            break
    dims = _dims(module)
    widths = [one.in_features for one in layers if isinstance(one, torch.nn.Linear)]
    beside = [width - sum(dims) for width in widths] + [w - d for w in widths for d in set(dims)]
    for width in list(dict.fromkeys(one for one in (*widths, *beside) if one > 0))[:12]:
        yield (_ROWS, width)
    if any(isinstance(one, torch.nn.EmbeddingBag) for one in layers):
        yield (_ROWS, _WIDTH)
    yield (_ROWS,)


def _dims(module: "torch.nn.Module") -> list[int]:
    import torch

    kinds = (torch.nn.Embedding, torch.nn.EmbeddingBag)
    return [one.embedding_dim for one in module.modules() if isinstance(one, kinds)]


def _names_table(module: "torch.nn.Module", name: str) -> bool:
    """Say whether an input seems to be called after a table."""
    import torch

    kinds = (torch.nn.Embedding, torch.nn.EmbeddingBag)
    paths = [path for path, one in module.named_modules() if isinstance(one, kinds)]
    words = set(name.lower().split("_"))
    return any(words & set(re.split(r"[._]", path.lower())) for path in paths)


def _is_row(name: str, array: np.ndarray, seen: Seen) -> bool:
    """Say whether an input holds a row of integers, or of what weighs them."""
    is_one = array.dtype.kind == "i" or name in seen.weights
    return is_one and array.ndim == 2 and array.shape[1] == _WIDTH


def _lengthened(array: np.ndarray) -> np.ndarray:
    """Put more into a row."""
    return np.zeros((len(array), _LONGER), array.dtype)
