"""Hold an ONNX model against what the job says of it, and take over the job's names."""

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from converters.onnx_models.files import graphs, signature_of
from registry.errors import SourceError
from registry.signature import Dim, Input, Tensor

if TYPE_CHECKING:
    import onnx


def take_names(model: "onnx.ModelProto", inputs: Sequence[Input], outputs: Sequence[str]) -> None:
    """Give the model's axes and outputs the job's names, in place.

    Raises:
        SourceError: The job's inputs or outputs are not the model's; every fault at once.
    """
    own = {tensor.name: tensor for tensor in signature_of(model).inputs}
    faults = [*_name_faults([given.name for given in inputs], own)]
    for given in inputs:
        if given.name in own:
            faults += _tensor_faults(given, own[given.name])
    if outputs and len(outputs) != len(model.graph.output):
        names = ", ".join(value.name for value in model.graph.output)
        faults.append(
            f"the model has {len(model.graph.output)} outputs ({names}): name all or none"
        )
    renamed, clashes = _axes(inputs, own)
    if faults := faults + clashes:
        raise SourceError("the job and the ONNX model do not agree: " + "; ".join(faults))
    for given in inputs:
        _set_shape(next(v for v in model.graph.input if v.name == given.name), given.shape)
    _rename_axes(model.graph, renamed)
    if outputs:
        rename_values(
            model.graph,
            {
                value.name: name
                for value, name in zip(model.graph.output, outputs, strict=True)
                if value.name != name
            },
        )


def _name_faults(wanted: Sequence[str], own: Mapping[str, Tensor]) -> list[str]:
    faults = []
    for name in wanted:
        if name not in own:
            close = difflib.get_close_matches(name, own, 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            faults.append(f"the model has no input '{name}' (it has {', '.join(own)}){hint}")
    faults += [f"the job lacks the input {own[name]}" for name in own if name not in wanted]
    return faults


def _tensor_faults(given: Input, own: Tensor) -> list[str]:
    if given.dtype is not own.dtype:
        return [f"input '{given.name}' is {own.dtype} in the model, {given.dtype} in the job"]
    if len(given.shape) != len(own.shape):
        return [f"input '{given.name}' has {len(own.shape)} axes in the model: {own}"]
    faults = []
    for at, (wanted, real) in enumerate(zip(given.shape, own.shape, strict=True)):
        if isinstance(wanted, str) and isinstance(real, int):
            faults.append(
                f"axis '{wanted}' is baked in at {real}, as axis {at} of input '{given.name}':"
                " export the model with a dynamic axis there, or give that size in the job"
            )
        elif isinstance(wanted, int) and isinstance(real, int) and wanted != real:
            faults.append(f"axis {at} of input '{given.name}' is {real} in the model, not {wanted}")
    return faults


def _axes(inputs: Sequence[Input], own: Mapping[str, Tensor]) -> tuple[dict[str, Dim], list[str]]:
    """Map the model's names of axes to the job's."""
    renamed: dict[str, Dim] = {}
    faults = []
    for given in inputs:
        real = own[given.name].shape if given.name in own else ()
        for wanted, name in zip(given.shape, real, strict=False):
            if isinstance(name, int) or name == "?":
                continue
            if renamed.setdefault(name, wanted) != wanted:
                faults.append(
                    f"the model's axis '{name}' is both '{renamed[name]}' and '{wanted}' in the"
                    " job: give them one name"
                )
    return renamed, faults


def _set_shape(value: "onnx.ValueInfoProto", shape: Sequence[Dim]) -> None:
    for dim, wanted in zip(value.type.tensor_type.shape.dim, shape, strict=True):
        dim.Clear()
        if isinstance(wanted, int):
            dim.dim_value = wanted
        else:
            dim.dim_param = wanted


def _rename_axes(graph: "onnx.GraphProto", renamed: Mapping[str, Dim]) -> None:
    for inner in graphs(graph):
        taken = inner.input if inner is not graph else ()
        for value in (*taken, *inner.output, *inner.value_info):
            for dim in value.type.tensor_type.shape.dim:
                if (wanted := renamed.get(dim.dim_param)) is not None:
                    dim.Clear()
                    if isinstance(wanted, int):
                        dim.dim_value = wanted
                    else:
                        dim.dim_param = wanted


def rename_values(graph: "onnx.GraphProto", renamed: Mapping[str, str]) -> None:
    """Rename values wherever they are made and used.

    Raises:
        SourceError: A new name is taken.
    """
    used = {name for inner in graphs(graph) for node in inner.node for name in node.output}
    used |= {value.name for value in (*graph.input, *graph.initializer)}
    if taken := set(renamed.values()) & (used - set(renamed)):
        raise SourceError(
            f"output name '{min(taken)}' is another value's name in the ONNX model: choose another"
        )
    for inner in graphs(graph):
        for node in inner.node:
            for names in (node.input, node.output):
                names[:] = [renamed.get(name, name) for name in names]
        for value in (*inner.input, *inner.output, *inner.value_info, *inner.initializer):
            value.name = renamed.get(value.name, value.name)
