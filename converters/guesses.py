"""What can be told of a torch module without a job."""

import inspect
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Inspection
from converters.lookups_seen import Seen, watch
from converters.programs.forward import call_in_order
from converters.sample_values import are_no_ids, guess_range, span
from converters.trials import IDS, OFFSETS, Trial, find_trial, stored_tensors
from registry.signature import Axis, Dim, DType, Ids, Input

if TYPE_CHECKING:
    import torch

#: Rows that the module is run on.
_FEW = 2

#: The axis of integers in a row, where the model takes any number of them.
_LENGTH = "length"

#: Ids in all bags of a batch, unless the job says otherwise.
_TOTAL = Axis(min=0, max=1 << 16)


def inspect_module(module: "torch.nn.Module", samples: Arrays) -> Inspection:
    """Guess the inputs from forward's parameters, the samples, and a run with a few of them.

    Where samples are missing, inputs are made up that the module runs on, if such are found.
    """
    names = _parameters(module, samples)
    few = {name: array[:_FEW] for name, array in samples.items()}
    tried = None if set(names) <= set(samples) else find_trial(module, names, few)
    seen = tried.seen if tried else _run(module, names, samples)
    tables = find_tables(module) | _raw_tables(module, seen)
    guessed = {
        name: guess_trial(name, tried)
        if tried and name not in samples
        else guess_input(name, samples.get(name), tables, seen)
        for name in names
    }
    inputs = tuple(_cut(guessed, name, seen, _includes_last(module)) for name in names)
    axes = {dim: Axis() for given, _ in inputs for dim in given.shape if isinstance(dim, str)}
    return Inspection(
        inputs=inputs,
        outputs=seen.outputs,
        axes=axes | {_total(of): _TOTAL for of in seen.bags.values()},
        tables=tuple((name, rows, dim) for name, (rows, dim) in tables.items()),
    )


def _raw_tables(module: "torch.nn.Module", seen: Seen) -> dict[str, tuple[int, int]]:
    """Give the parameters that rows were read from, beside those of embedding layers."""
    weights = stored_tensors(module)
    named = {name: weights[name] for name in seen.tables if weights[name].ndim == 2}
    layers = find_tables(module)
    return {
        slug: (len(weight), weight.shape[1])
        for name, weight in named.items()
        for slug in [re.sub(r"\W+", "_", name.removesuffix(".weight"))]
        if slug not in layers
    }


def _includes_last(module: "torch.nn.Module") -> bool:
    return any(getattr(one, "include_last_offset", False) for one in module.modules())


def _total(ids: str) -> str:
    return f"{ids}_total".lower()


def _cut(
    guessed: Mapping[str, tuple[Input, str]],
    name: str,
    seen: Seen,
    includes_last: bool,  # noqa: FBT001  of the module
) -> tuple[Input, str]:
    """Give what has to do with bags its role and its axis."""
    given, said = guessed[name]
    if name in seen.bags:
        of = seen.bags[name]
        shape = (f"{name}_size".lower(),) if includes_last else ("batch",)
        bag = {"shape": shape, "ids": None, "range": None, "includes_last": includes_last}
        return given.model_copy(update=bag | {"offsets": of}), f"starts the bags of {of}"
    flat = seen.weights.get(name, name)
    if flat not in seen.bags.values() or not given.shape:
        return given, said
    return given.model_copy(update={"shape": (_total(flat), *given.shape[1:])}), said


def find_tables(module: "torch.nn.Module") -> dict[str, tuple[int, int]]:
    """Find the matrices of embedding layers: name → (rows, dim)."""
    import torch

    return {
        re.sub(r"\W+", "_", path) or "weight": (one.num_embeddings, one.embedding_dim)
        for path, one in module.named_modules()
        if isinstance(one, torch.nn.Embedding | torch.nn.EmbeddingBag)
    }


def guess_input(
    name: str, array: np.ndarray | None, tables: Mapping[str, tuple[int, int]], seen: Seen
) -> tuple[Input, str]:
    """Describe an input by its samples or, without them, by its name; say what was guessed."""
    if array is None:
        return _by_name(name, _rows(name, tables))
    shape: tuple[Dim, ...] = ("batch", *array.shape[1:]) if array.ndim else ()
    if array.dtype.kind not in "iu":
        dtype = DType.BOOL if array.dtype.kind == "b" else DType.FLOAT32
        said = "the first axis is taken to be the batch, the range that of the samples"
        return Input(name=name, dtype=dtype, shape=shape, range=span(array)), said
    whole = Input(name=name, dtype=DType.INT64, shape=shape)
    rows = seen.rows.get(name) or (None if seen.outputs else _rows(name, tables))
    if are_no_ids(array) or (seen.outputs and rows is None):
        values, said = guess_range(array)
        return whole.model_copy(update={"range": values}), said
    ids = Ids(cardinality=rows or int(array.max(initial=0)) + 1)
    said = "cardinality " + ("of the table" if rows else "is the samples' largest id + 1")
    return whole.model_copy(update={"ids": ids}), said


def guess_trial(name: str, trial: Trial) -> tuple[Input, str]:
    """Describe an input by what a run took in its place."""
    array = trial.arrays[name]
    said = "type and shape are those of a trial that the model ran on"
    shape: tuple[Dim, ...] = ("batch", *array.shape[1:])
    if trial.varies and array.ndim == 2 and (array.dtype.kind == "i" or name in trial.seen.weights):
        shape = ("batch", _LENGTH)
    if array.dtype.kind == "f":
        return Input(name=name, dtype=DType.FLOAT32, shape=shape), said
    whole = Input(name=name, dtype=DType.INT64, shape=shape)
    rows = trial.seen.rows.get(name)
    if rows is None:
        values, guess = guess_range(None)
        return whole.model_copy(update={"range": values}), f"{said}; {guess}"
    return whole.model_copy(
        update={"ids": Ids(cardinality=rows)}
    ), f"{said}; cardinality of the table"


def _by_name(name: str, rows: int | None) -> tuple[Input, str]:
    if not IDS.search(name) and rows is None:
        said = "type and shape are guesses"
        return Input(name=name, dtype=DType.FLOAT32, shape=("batch",)), said
    ids = Ids(cardinality=rows or 1)
    said = "type, shape and cardinality are guesses"
    return Input(name=name, dtype=DType.INT64, shape=("batch",), ids=ids), said


def _rows(name: str, tables: Mapping[str, tuple[int, int]]) -> int | None:
    """Find the one table that an input seems to name rows of."""
    words = set(name.lower().split("_")) - {"id", "ids", "idx", "index"}
    fits = [
        rows for table, (rows, _) in tables.items() if words & set(re.split(r"[._]", table.lower()))
    ]
    return fits[0] if len(fits) == 1 else None


def _parameters(module: "torch.nn.Module", samples: Arrays) -> tuple[str, ...]:
    parameters = inspect.signature(module.forward).parameters.values()
    named = [one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    wanted = [one.name for one in named if one.default is one.empty or one.name in samples]
    return tuple(wanted) or tuple(samples) or tuple(one.name for one in named[:1])


def _run(module: "torch.nn.Module", names: tuple[str, ...], samples: Arrays) -> Seen:
    """Run the module on a few samples, where they suffice."""
    import torch

    if not set(names) <= set(samples):
        return Seen()
    arrays = _few({name: samples[name] for name in names}, includes_last=_includes_last(module))
    wide = {"f": torch.float32, "i": torch.int64, "u": torch.int64, "b": torch.bool}
    few = {
        name: torch.tensor(array).to(wide[array.dtype.kind]).contiguous()
        for name, array in arrays.items()
    }
    return watch(call_in_order(module, names), few, stored_tensors(module))


def _few(samples: Arrays, *, includes_last: bool) -> Arrays:
    """Take the first rows; of bags, with as many ids as the offsets say."""
    few = {name: array[:_FEW] for name, array in samples.items()}
    flat = [name for name, array in samples.items() if array.dtype.kind in "iu" and array.ndim == 1]
    starts = [name for name in flat if OFFSETS.search(name)]
    for name in starts:
        offsets = samples[name]
        bagged = [other for other in flat if other not in starts]
        of = next((one for one in bagged if one in name), bagged[0] if bagged else None)
        if of is None or len(offsets) <= _FEW:
            continue
        few[name] = offsets[: _FEW + includes_last]
        length = len(samples[of])
        total = max(0, int(offsets[_FEW]))
        alike = [one for one, array in samples.items() if len(array) == length != len(offsets)]
        few |= {one: samples[one][:total] for one in {of, *alike}}
    return few
