"""A torch module to an exported program, its axes symbolic as the job names them."""

from contextlib import suppress
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.programs.deferred import asks_too_much, drop_shown
from converters.programs.dynamic_shapes import can_tell_more, dynamic_shapes, example_inputs
from converters.programs.export_faults import explain
from converters.programs.fast_path import no_fast_path
from converters.programs.forward import in_job_order
from converters.programs.loops import recurrent_loops
from converters.programs.packed import packed_as_padded
from converters.programs.single_chunk import single_chunk_is_whole
from converters.quiet import TORCH_EXPORT, quiet

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram


def export_program(module: "torch.nn.Module", brief: Brief) -> "ExportedProgram":
    """Trace a module; the program's user inputs are the job's, in the job's order.

    Raises:
        SourceError: The module cannot take the job's inputs, fixes an axis that the job
            calls symbolic, or cannot be traced.
    """
    import torch

    was = module.training
    module.eval()
    names = [given.name for given in brief.inputs]
    try:
        with (
            in_job_order(module, names),
            torch.no_grad(),
            recurrent_loops(),
            packed_as_padded(),
            no_fast_path(),
            single_chunk_is_whole(),
        ):
            return _attempt(module, brief)
    finally:
        module.train(was)


def _attempt(module: "torch.nn.Module", brief: Brief) -> "ExportedProgram":
    """Export; where an axis follows from another, again with that; else in strict mode."""
    try:
        return _export(module, brief, "")
    except Exception as error:  # noqa: BLE001 - torch raises all kinds; explained at the end
        first = error
    advised = can_tell_more(str(first), brief.inputs)
    if not advised and asks_too_much(str(first)):
        with suppress(Exception):
            return _deferred(module, brief)
    try:
        return _export(module, brief, str(first), strict=not advised)
    except Exception as error:
        raise explain(error if advised else first, module, brief) from error


def _deferred(module: "torch.nn.Module", brief: Brief) -> "ExportedProgram":
    """Export without asking torch to show what it asks of sizes, and show that here."""
    program = _export(module, brief, "", defer=True)
    drop_shown(program)
    return program


def _export(
    module: "torch.nn.Module",
    brief: Brief,
    advice: str,
    *,
    strict: bool = False,
    defer: bool = False,
) -> "ExportedProgram":
    import torch

    shapes = dynamic_shapes(brief.inputs, brief.axes, advice)
    with quiet("torch.export", *TORCH_EXPORT):
        program = torch.export.export(
            module,
            example_inputs(brief),
            dynamic_shapes=shapes,
            strict=strict,
            prefer_deferred_runtime_asserts_over_guards=defer,
        )
    _rename_constants(program)
    return program


def _rename_constants(program: "ExportedProgram") -> None:
    """Give constants names that attributes can have; strict mode names them by its way there."""
    for number, spec in enumerate(program.graph_signature.input_specs):
        name = spec.target
        if name in program.constants and not all(map(str.isidentifier, name.split("."))):
            spec.target = f"constant_{number}"
            program.constants[spec.target] = program.constants.pop(name)
