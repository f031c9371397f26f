"""Exported program to ONNX: by torch's dynamo exporter, or the older one where that refuses."""

import os
import re
import traceback
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from converters.converter import Converter, ConvertOptions
from converters.exact_constants import exact_constants
from converters.onnx_forms import forms
from converters.onnx_models.faults import inspect
from converters.onnx_models.files import read_signature
from converters.onnx_models.inline import belongs_outside
from converters.programs.files import load_program
from converters.programs.loops import recurrent_loops
from converters.programs.signature import axis_names, named_expression
from converters.quiet import is_noise, quiet
from converters.torchscript.to_onnx import export_trace
from registry.composition import Remark
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.remarks import tell
from registry.signature import Signature

if TYPE_CHECKING:
    import onnx_ir
    import torch
    from torch.export import ExportedProgram

_OPERATOR = re.compile(r"OpOverload\(op='([\w.]+)', overload='(\w+)'\)")
_LOGGERS = ("torch.onnx", "torch.export", "torch.fx", "onnxscript", "onnx_ir")


def export_onnx(program: "ExportedProgram", path: Path, signature: Signature) -> tuple[Remark, ...]:
    """Write a program as ONNX, its big weights beside it in `<path>.data`; return remarks.

    Args:
        signature: The program's: names for its user inputs, outputs and axes, in order.

    Raises:
        ConversionError: An operator has no ONNX form; names it and the module that made it.
    """
    import torch

    names = axis_names(program, signature.inputs)
    with quiet("torch.onnx", *_LOGGERS) as remarks, recurrent_loops(), exact_constants():
        try:
            made = torch.onnx.export(
                program,
                dynamo=True,
                verbose=False,
                input_names=[tensor.name for tensor in signature.inputs],
                output_names=[tensor.name for tensor in signature.outputs],
                custom_translation_table=forms(),
            )
        except Exception as error:
            raise ConversionError(_explain(error)) from error
        if made is None:
            raise ConversionError(f"torch.onnx.export wrote nothing to {path}")
        _rename_axes(made.model, names)
        _name_outputs(made.model, signature)
        _part_names(made.model)
        _strip(made.model)
        _save(made.model, path)
    return tuple(remark for remark in remarks if not is_noise(remark))


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.onnx` and, where weights are big, `model.onnx.data`.

    Raises:
        ConversionError: An operator has no ONNX form, whichever exporter is asked.
    """
    import torch

    if options.weights != "f32":
        raise ConversionError(
            f"ONNX keeps the weights' own type: {options.weights} weights are made"
            " by the converter to the target's format"
        )
    out.mkdir(parents=True, exist_ok=True)
    program, signature = load_program(source)
    file = out / ENTRY[Format.ONNX]
    try:
        export_onnx(program, file, signature)
    except ConversionError as refused:
        _fall_back(source, file, options, refused)
        return f"torch.onnx (TorchScript) {torch.__version__}"
    return f"torch.onnx (dynamo) {torch.__version__}"


def _fall_back(source: Path, file: Path, options: ConvertOptions, refused: ConversionError) -> None:
    """Try the other exporter; where that refuses as well, the first one's reason is the better."""
    try:
        model = export_trace(source, options)
    except ConversionError:
        raise refused from refused.__cause__
    _strip(model)
    _save(model, file)
    text = f"the dynamo exporter refused ({refused}); the TorchScript exporter wrote the file"
    tell([Remark(by="torch.onnx", text=text)])


def _rename_axes(model: "onnx_ir.Model", names: dict[str, str]) -> None:
    import onnx_ir

    def named(dim: "int | onnx_ir.SymbolicDim") -> "int | str | None":
        if isinstance(dim, int):
            return dim
        return None if dim.value is None else named_expression(dim.value, names)

    def rename(value: "onnx_ir.Value | None") -> None:
        if value is not None and value.shape is not None:
            value.shape = onnx_ir.Shape(map(named, value.shape))

    for value in model.graph.inputs:
        rename(value)
    for node in onnx_ir.traversal.RecursiveGraphIterator(model.graph):
        for value in (*node.outputs, *(v for graph in _graphs(node) for v in graph.inputs)):
            rename(value)


def _name_outputs(model: "onnx_ir.Model", signature: Signature) -> None:
    """Spell the symbolic axes of outputs as the signature does: 'ends_minus_1', not 'ends - 1'."""
    import onnx_ir

    for value, tensor in zip(model.graph.outputs, signature.outputs, strict=True):
        if value.shape is not None and len(value.shape) == len(tensor.shape):
            pairs = zip(value.shape, tensor.shape, strict=True)
            value.shape = onnx_ir.Shape(
                [dim if isinstance(dim, int) or isinstance(own, int) else own for dim, own in pairs]
            )


def _part_names(model: "onnx_ir.Model") -> None:
    """Rename values inside that are called like an input or an output of the model.

    The exporter calls values after operators, and gives outputs their names without a look.
    """
    import onnx_ir

    own = {value.name: value for value in (*model.graph.inputs, *model.graph.outputs)}
    inside = [
        value
        for node in onnx_ir.traversal.RecursiveGraphIterator(model.graph)
        for value in node.outputs
    ]
    taken = own.keys() | {value.name for value in inside}
    for value in inside:
        if value.name in own and own[value.name] is not value:
            number = next(n for n in count() if f"{value.name}_{n}" not in taken)
            value.name = f"{value.name}_{number}"
            taken |= {value.name}


def _graphs(node: "onnx_ir.Node") -> "list[onnx_ir.Graph]":
    import onnx_ir

    return [
        attribute.as_graph()
        for attribute in node.attributes.values()
        if attribute.type is onnx_ir.AttributeType.GRAPH
    ]


def _strip(model: "onnx_ir.Model") -> None:
    """Take out stack traces and paths of this machine; keep the path of each node's module."""
    import onnx_ir

    model.doc_string = None
    model.metadata_props.clear()
    for node in onnx_ir.traversal.RecursiveGraphIterator(model.graph):
        scopes = re.findall(r"'([^']*)'", node.metadata_props.get(_SCOPES, ""))
        node.doc_string = None
        node.metadata_props.clear()
        if len(scopes) > 1 and scopes[-2]:
            node.metadata_props["module"] = scopes[-2]
        for value in node.outputs:
            value.metadata_props.clear()
    for value in (*model.graph.inputs, *model.graph.initializers.values()):
        value.metadata_props.clear()


_SCOPES = "pkg.torch.onnx.name_scopes"


def _save(model: "onnx_ir.Model", path: Path) -> None:
    import onnx_ir

    outside = [
        value
        for value in model.graph.initializers.values()
        if value.const_value is not None
        and belongs_outside(value.const_value.nbytes, integer=value.const_value.dtype.is_integer())
    ]
    if outside:
        tensors = onnx_ir.external_data.convert_tensors_to_external(
            [value.const_value for value in outside], str(path.parent), f"{path.name}.data"
        )
        for value, tensor in zip(outside, tensors, strict=True):
            value.const_value = tensor
    onnx_ir.save(model, os.fspath(path))


def _explain(error: BaseException) -> str:
    """Name the operator and the module that made it, from the chain of the exporter's errors."""
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    found = _OPERATOR.search("\n".join(map(str, causes)))
    operator = ".".join(found.groups()) if found else ""
    node = _node_at_fault(causes)
    where = f" in module {_module(node)}" if node else ""
    if not operator:
        return f"the ONNX exporter failed{where}: {str(causes[-1]).strip().splitlines()[0]}"
    return (
        f"operator {operator}{where} has no ONNX form. Rewrite it with operators that have one,"
        " or keep it out of the model and compute it before or after"
    )


def _node_at_fault(causes: "list[BaseException]") -> "torch.fx.Node | None":
    """Find the node that the exporter was at: of its own copy, with other operators."""
    import torch

    frames = [frame for one in causes for frame, _ in traceback.walk_tb(one.__traceback__)]
    held = [frame.f_locals.get("node") for frame in frames]
    return next((node for node in reversed(held) if isinstance(node, torch.fx.Node)), None)


def _module(node: "torch.fx.Node") -> str:
    stack = list(node.meta.get("nn_module_stack", {}).values())
    path, kind = stack[-1] if stack else ("", "")
    name = getattr(kind, "__qualname__", str(kind).rsplit(".", 1)[-1])
    return f"'{path}' ({name})" if path else f"({name})"


CONVERTER = Converter(
    source=Format.EXPORTED_PROGRAM,
    result=Format.ONNX,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
)
