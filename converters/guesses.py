"""What can be told of a torch module without a job."""

import inspect
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Inspection
from converters.programs.eager import named_outputs
from converters.programs.forward import call_in_order
from converters.programs.signature import (
    input_values,
    named_shape,
    output_names,
    output_tree,
    torch_dtype,
)
from registry.signature import Axis, Dim, DType, Ids, Input

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

_IDS = re.compile(r"(^|_)(ids?|idx|index|indices|item|items|user|users|token|tokens)($|_)")


def inspect_module(module: "torch.nn.Module", samples: Arrays) -> Inspection:
    """Guess the inputs from forward's parameters and from the samples' arrays."""
    tables = find_tables(module)
    names = _parameters(module, samples)
    inputs = tuple(guess_input(name, samples.get(name), tables) for name in names)
    axes = {dim: Axis() for given, _ in inputs for dim in given.shape if isinstance(dim, str)}
    return Inspection(
        inputs=inputs,
        outputs=_outputs(module, names, samples),
        axes=axes,
        tables=tuple((name, rows, dim) for name, (rows, dim) in tables.items()),
    )


def find_tables(module: "torch.nn.Module") -> dict[str, tuple[int, int]]:
    """Find the matrices of embedding layers: name → (rows, dim)."""
    import torch

    return {
        re.sub(r"\W+", "_", path) or "weight": (one.num_embeddings, one.embedding_dim)
        for path, one in module.named_modules()
        if isinstance(one, torch.nn.Embedding | torch.nn.EmbeddingBag)
    }


def guess_input(
    name: str, array: np.ndarray | None, tables: Mapping[str, tuple[int, int]]
) -> tuple[Input, str]:
    """Describe an input by its samples or, without them, by its name; say what was guessed."""
    rows = _rows(name, tables)
    if array is None:
        if not _IDS.search(name) and rows is None:
            said = "type and shape are guesses"
            return Input(name=name, dtype=DType.FLOAT32, shape=("batch",)), said
        ids = Ids(cardinality=rows or 1)
        said = "type, shape and cardinality are guesses"
        return Input(name=name, dtype=DType.INT64, shape=("batch",), ids=ids), said
    shape: tuple[Dim, ...] = ("batch", *array.shape[1:]) if array.ndim else ()
    if array.dtype.kind in "iu":
        ids = Ids(cardinality=rows or int(array.max(initial=0)) + 1)
        said = "cardinality " + ("of the table" if rows else "is the samples' largest id + 1")
        return Input(name=name, dtype=DType.INT64, shape=shape, ids=ids), said
    dtype = DType.BOOL if array.dtype.kind == "b" else DType.FLOAT32
    return Input(name=name, dtype=dtype, shape=shape), "the first axis is taken to be the batch"


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


def _outputs(module: "torch.nn.Module", names: tuple[str, ...], samples: Arrays) -> tuple[str, ...]:
    """Name the outputs by running the module on a few samples, where they suffice."""
    import torch

    if not set(names) <= set(samples):
        return ()
    few = [torch.tensor(samples[name][:2]) for name in names]
    few = [one.float() if one.is_floating_point() else one for one in few]
    try:
        with torch.inference_mode():
            return tuple(named_outputs(call_in_order(module, names)(*few), ()))
    except Exception:  # noqa: BLE001 - the samples may well not fit; the job says it then
        return ()


def guess_program(program: "ExportedProgram", samples: Arrays) -> Inspection:
    """Read the inputs of a program; its symbols become axes, the first one the batch."""
    import torch

    axes = _program_axes(program)
    used = {
        str(node.args[1]): str(node.args[0])
        for node in program.graph.nodes
        if "aten.embedding" in str(node.target)
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
        ids, said = None, "as the program says"
        if not value.dtype.is_floating_point and value.dtype is not torch.bool:
            largest = int(samples[name].max(initial=0)) if name in samples else 0
            ids = Ids(cardinality=rows or largest + 1)
            said = "cardinality of its table" if rows else "cardinality is a guess"
        dtype = torch_dtype(value.dtype)
        inputs.append((Input(name=str(name), dtype=dtype, shape=shape, ids=ids), said))
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
