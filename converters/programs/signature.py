"""The names and shapes of an exported program's inputs and outputs, in the job's words."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from converters.dtypes import dtype_of_torch
from registry.errors import SourceError
from registry.signature import Dim, Signature, Tensor

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

    from converters.brief import Brief


def program_signature(program: "ExportedProgram", brief: "Brief") -> Signature:
    """Describe a program whose inputs are the job's, in the job's order.

    Raises:
        SourceError: The job names another number of outputs than there are, or one of
            them is not a tensor, or has the name of an input.
    """
    names = axis_names(program, brief.inputs)
    outputs = [
        Tensor(
            name=name,
            dtype=dtype_of_torch(value.dtype, f"output '{name}'"),
            shape=named_shape(value.shape, names),
        )
        for name, value in zip(
            output_names(output_tree(program), brief.outputs), output_values(program), strict=True
        )
    ]
    inputs = tuple(
        Tensor(name=given.name, dtype=given.dtype, shape=given.shape) for given in brief.inputs
    )
    if taken := [one.name for one in outputs if one.name in {given.name for given in inputs}]:
        raise SourceError(
            f"'{taken[0]}' is an input and an output of the model: no format tells them apart. Give"
            f" the outputs ({', '.join(one.name for one in outputs)}) other names, in `outputs` of"
            " the job"
        )
    return Signature(inputs=inputs, outputs=tuple(outputs))


def axis_names(program: "ExportedProgram", inputs: Sequence[Tensor]) -> dict[str, str]:
    """Map torch's symbols, as text ('s17', 's17 + 1'), to the axes that the inputs name."""
    return shape_names([value.shape for value in input_values(program)], inputs)


def shape_names(shapes: Sequence[Sequence[object]], inputs: Sequence[Tensor]) -> dict[str, str]:
    """Map the symbols in shapes, as text, to the axes that the inputs name at these places."""
    names: dict[str, str] = {}
    for shape, given in zip(shapes, inputs, strict=True):
        for size, dim in zip(shape, given.shape, strict=True):
            if isinstance(dim, str) and not str(size).isdecimal():
                names.setdefault(str(size), dim)
    return {**_behind(names), **names}


def _behind(names: Mapping[str, str]) -> dict[str, str]:
    """Name the symbols that stand only in what is made of them.

    Where 's17 + 1' is 'ends', 's17' is one less; where '32*s3' is 'height', 's3' is a part of it.
    """
    found: dict[str, str] = {}
    for text, name in names.items():
        if one_less := re.fullmatch(r"(\w+) \+ 1", text):
            found[one_less[1]] = f"{name}_minus_1"
        elif part := re.fullmatch(r"(\d+)\*(\w+)", text):
            found[part[2]] = f"({name}//{part[1]})"
    return found


def named_shape(shape: Sequence[object], names: Mapping[str, str]) -> tuple[Dim, ...]:
    """Put the job's names of axes in the place of torch's symbols."""
    return tuple(
        int(str(size)) if str(size).isdecimal() else named_expression(str(size), names)
        for size in shape
    )


def named_expression(text: str, names: Mapping[str, str]) -> str:
    """Put names for symbols in an expression: '2*s17' becomes '2*batch'."""
    if text in names:
        return names[text]
    return re.sub(r"[A-Za-z_]\w*", lambda found: names.get(found[0], found[0]), text)


def input_values(program: "ExportedProgram") -> "tuple[torch.Tensor, ...]":
    """Give the fake tensors of the user's inputs, in order."""
    wanted = program.graph_signature.user_inputs
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    return tuple(nodes[str(name)].meta["val"] for name in wanted)


def output_values(program: "ExportedProgram") -> "tuple[torch.Tensor, ...]":
    """Give the fake tensors of the user's outputs, in order; outputs that are None do not count."""
    import torch

    by_name = {node.name: node for node in program.graph.nodes}
    found = []
    for position, name in enumerate(program.graph_signature.user_outputs):
        if name is None:
            continue
        value = by_name[name].meta["val"] if name in by_name else name
        if not isinstance(value, torch.Tensor):
            raise SourceError(
                f"output {position} of the model is {value!r}, not a tensor: return tensors alone"
            )
        found.append(value)
    return tuple(found)


def output_tree(program: "ExportedProgram") -> object:
    """Give the structure that the model returns, of empty tensors, or None where it returns that.

    A structure may be a class of its own, which looks at what it is made of.
    """
    import torch
    from torch.utils import _pytree

    spec = program.call_spec.out_spec
    names = program.graph_signature.user_outputs
    held = [None if name is None else torch.empty(0, dtype=torch.int64) for name in names]
    return _pytree.tree_unflatten(held, spec) if spec is not None else held


def output_names(tree: object, wanted: Sequence[str]) -> tuple[str, ...]:
    """Name what a model returns: by the job, else by its keys, else by position.

    Raises:
        SourceError: The job names another number of outputs than there are.
    """
    from torch.utils import _pytree

    leaves, _ = _pytree.tree_flatten_with_path(tree)
    own = [_key(path) for path, leaf in leaves if leaf is not None]
    own = (
        ["output"] if own == [""] else [f"output_{key}" if key.isdecimal() else key for key in own]
    )
    if not wanted:
        return tuple(own)
    if len(wanted) != len(own):
        raise SourceError(
            f"the model returns {len(own)} outputs ({', '.join(own)}), the job names"
            f" {len(wanted)} ({', '.join(wanted)}): name all of them or none"
        )
    return tuple(wanted)


def _key(path: Sequence[object]) -> str:
    parts = [getattr(step, "key", getattr(step, "idx", getattr(step, "name", ""))) for step in path]
    return "_".join(map(str, parts))
