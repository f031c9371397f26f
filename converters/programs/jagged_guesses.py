"""What a torchrec module tells of its features, for a first job."""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from converters.brief import Arrays, Inspection
from converters.guesses import find_tables, guess_input, guess_trial
from converters.lookups_seen import Seen
from converters.programs.forward import is_required
from converters.programs.jagged import WEIGHTS, feed_jagged
from converters.quiet import TORCH_EXPORT, quiet
from converters.trials import find_trial
from registry.errors import SourceError
from registry.signature import Axis, DType, Ids, Input

if TYPE_CHECKING:
    import torch

_CONFIGS = ("embedding_bag_configs", "embedding_configs")

#: Entries of offsets: one more than there are bags.
_ENDS = "ends"


def find_jagged(module: "torch.nn.Module") -> dict[str, tuple[str, ...]]:
    """Find the parameter of forward that is a KeyedJaggedTensor, and its features.

    Raises:
        SourceError: There are several, so nothing tells which has which features.
    """
    parameters = inspect.signature(module.forward).parameters.values()
    keyed = [one.name for one in parameters if "KeyedJaggedTensor" in str(one.annotation)]
    if len(keyed) > 1:
        raise SourceError(
            f"{type(module).__name__}.forward takes several KeyedJaggedTensors"
            f" ({', '.join(keyed)}): write the job by hand, its source.jagged says which features"
            " each has"
        )
    features = tuple(_rows(module))
    return {keyed[0]: features} if keyed and features else {}


def inspect_jagged(
    module: "torch.nn.Module", jagged: Mapping[str, Sequence[str]], samples: Arrays
) -> Inspection:
    """Describe each feature by its table, and what else forward takes by a run."""
    takes = inspect.signature(module.forward).parameters
    others = [name for name, one in takes.items() if is_required(one) and name not in jagged]
    rows, flat = _rows(module), _flat(module, jagged)
    plain = [Input(name=name, dtype=DType.FLOAT32, shape=("batch",)) for name in others]
    feed_jagged(module, jagged, [*plain, *flat])
    few = _few(flat) | {name: samples[name][:2] for name in others if name in samples}
    with quiet("torch", *TORCH_EXPORT):
        tried = find_trial(module, (*others, *(one.name for one in flat)), few)
    tables = find_tables(module)
    guessed = [
        guess_trial(name, tried)
        if tried and name not in samples
        else guess_input(name, samples.get(name), tables, tried.seen if tried else Seen())
        for name in others
    ]
    inputs = (*guessed, *((one, "" if one.name in rows else _said(one)) for one in flat))
    axes = {dim: Axis() for one, _ in guessed for dim in one.shape if isinstance(dim, str)}
    axes |= {str(one.shape[0]): Axis(min=0, max=1 << 16) for one in flat if one.name in rows}
    return Inspection(
        inputs=inputs,
        outputs=tried.seen.outputs if tried else (),
        axes=axes | {_ENDS: Axis(min=2, max=Axis().max + 1)},
        tables=tuple((name, *size) for name, size in tables.items()),
        source={"jagged": {name: list(features) for name, features in jagged.items()}},
    )


def _said(given: Input) -> str:
    return f"starts the bags of {given.offsets}" if given.offsets else "one a value"


def _rows(module: "torch.nn.Module") -> dict[str, int]:
    """Say how many rows each feature names: the fewest of its tables."""
    rows: dict[str, int] = {}
    for one in module.modules():
        for config in _configs(one):
            for name in config.feature_names:
                rows[name] = min(config.num_embeddings, rows.get(name, config.num_embeddings))
    return rows


def _configs(module: "torch.nn.Module") -> Sequence[Any]:
    """List the configurations of a collection's tables: `feature_names`, `num_embeddings`."""
    listed = next((getattr(module, name) for name in _CONFIGS if hasattr(module, name)), tuple)
    return tuple(listed())


def _flat(module: "torch.nn.Module", jagged: Mapping[str, Sequence[str]]) -> list[Input]:
    rows = _rows(module)
    weighted = any(one.is_weighted() for one in module.modules() if hasattr(one, "is_weighted"))
    inputs = []
    for name in (name for several in jagged.values() for name in several):
        total = re.sub(r"[^a-z0-9._-]+", "-", f"{name}_total".lower())
        ids = Input(name=name, dtype=DType.INT64, shape=(total,), ids=Ids(cardinality=rows[name]))
        starts = Input(
            name=f"{name}_offsets",
            dtype=DType.INT64,
            shape=(_ENDS,),
            offsets=name,
            includes_last=True,
        )
        inputs += [ids, starts]
        if weighted:
            span = (0.0, 1.0)
            weights = Input(name=name + WEIGHTS, dtype=DType.FLOAT32, shape=(total,), range=span)
            inputs.append(weights)
    return inputs


def _few(inputs: Sequence[Input]) -> dict[str, np.ndarray]:
    """Make two bags of each feature."""
    few: dict[str, np.ndarray] = {}
    for given in inputs:
        value = np.ones(2, np.float32) if given.range else np.zeros(2, np.int64)
        few[given.name] = np.arange(3) if given.offsets else value
    return few
