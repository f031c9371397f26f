"""What can be told of a torch module without a job."""

import inspect
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Inspection
from converters.dtypes import dtype_of_torch
from converters.lookups_seen import Seen, watch
from converters.programs.forward import call_in_order
from converters.programs.signature import (
    input_values,
    named_shape,
    output_names,
    output_tree,
)
from converters.sample_values import are_no_ids, guess_range, span
from registry.signature import Axis, Dim, DType, Ids, Input

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

#: Rows that the module is run on.
_FEW = 2

_IDS = re.compile(r"(^|_)(ids?|idx|index|indices|item|items|user|users|token|tokens)($|_)")


#: Ids in all bags of a batch, unless the job says otherwise.
_TOTAL = Axis(min=0, max=1 << 16)

_OFFSETS = re.compile(r"offset|(^|_)starts?($|_)", re.IGNORECASE)


def inspect_module(module: "torch.nn.Module", samples: Arrays) -> Inspection:
    """Guess the inputs from forward's parameters, the samples, and a run with a few of them."""
    tables = find_tables(module)
    names = _parameters(module, samples)
    seen = _run(module, names, samples)
    guessed = {name: guess_input(name, samples.get(name), tables, seen) for name in names}
    inputs = tuple(_cut(guessed, name, seen, _includes_last(module)) for name in names)
    axes = {dim: Axis() for given, _ in inputs for dim in given.shape if isinstance(dim, str)}
    return Inspection(
        inputs=inputs,
        outputs=seen.outputs,
        axes=axes | {_total(of): _TOTAL for of in seen.bags.values()},
        tables=tuple((name, rows, dim) for name, (rows, dim) in tables.items()),
    )


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
    flat = name if name in seen.bags.values() else seen.weights.get(name)
    if flat is None or not given.shape:
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


def _by_name(name: str, rows: int | None) -> tuple[Input, str]:
    if not _IDS.search(name) and rows is None:
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
    return tuple(wanted) or tuple(samples)


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
    return watch(call_in_order(module, names), few)


def _few(samples: Arrays, *, includes_last: bool) -> Arrays:
    """Take the first rows; of bags, with as many ids as the offsets say."""
    few = {name: array[:_FEW] for name, array in samples.items()}
    flat = [name for name, array in samples.items() if array.dtype.kind in "iu" and array.ndim == 1]
    starts = [name for name in flat if _OFFSETS.search(name)]
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


def guess_program(program: "ExportedProgram", samples: Arrays) -> Inspection:
    """Read the inputs of a program; its symbols become axes, the first one the batch."""
    import torch

    axes = _program_axes(program)
    used = {
        str(node.args[1]): str(node.args[0])
        for node in program.graph.nodes
        if "aten.embedding" in str(node.target)
    }
    bags = {
        str(node.args[2]): str(node.args[1])
        for node in program.graph.nodes
        if "aten.embedding_bag" in str(node.target) and len(node.args) > 2
    }
    weights = {
        spec.arg.name: str(spec.target)
        for spec in program.graph_signature.input_specs
        if spec.target is not None
    }
    tables = {
        weights[name]: (int(rows), int(dim))
        for name in dict.fromkeys(used.values())
        if name in weights
        for rows, dim in [program.state_dict[weights[name]].shape]
    }
    inputs = []
    for name, value in zip(program.graph_signature.user_inputs, input_values(program), strict=True):
        shape = named_shape(value.shape, axes)
        table = weights.get(used.get(str(name), ""))
        rows = tables[table][0] if table else None
        ids, values, said = None, None, "as the program says"
        if not value.dtype.is_floating_point and value.dtype is not torch.bool:
            ids = Ids(cardinality=rows) if rows else None
            values, said = guess_range(samples.get(str(name)))
            values, said = (None, "cardinality of its table") if rows else (values, said)
        if name in bags:
            ids, values, said = None, None, f"starts the bags of {bags[name]}"
        told = {"ids": ids, "range": values, "offsets": bags.get(str(name))}
        dtype = dtype_of_torch(value.dtype)
        given = Input(name=str(name), dtype=dtype, shape=shape)
        inputs.append((given.model_copy(update=told), said))
    return Inspection(
        inputs=tuple(inputs),
        outputs=output_names(output_tree(program), ()),
        axes={name: _range(program, symbol) for symbol, name in axes.items()},
        tables=tuple(
            (re.sub(r"\W+", "_", name.removesuffix(".weight")), rows, dim)
            for name, (rows, dim) in tables.items()
        ),
    )


def _program_axes(program: "ExportedProgram") -> dict[str, str]:
    """Name the symbols: the first of an input's leading axis is the batch."""
    symbols = dict.fromkeys(
        str(size)
        for value in input_values(program)
        for size in value.shape
        if not str(size).isdecimal()
    )
    return {symbol: "batch" if at == 0 else f"axis_{at}" for at, symbol in enumerate(symbols)}


def _range(program: "ExportedProgram", symbol: str) -> Axis:
    for known, limits in program.range_constraints.items():
        if str(known) == symbol:
            high = int(limits.upper) if str(limits.upper).isdecimal() else Axis().max
            return Axis(min=max(0, int(limits.lower)), max=max(1, high))
    return Axis()
