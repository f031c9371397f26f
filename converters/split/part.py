"""A piece of a cut graph as a program of its own, with the job's names for everything."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from converters.brief import Brief
from converters.programs.export import export_program
from converters.programs.files import save_program
from converters.programs.signature import program_signature
from converters.split.axes import with_derived
from converters.split.body import Body
from converters.split.extract import extract
from converters.torch_to_onnx import export_onnx
from registry.composition import Artifact, Remark
from registry.format import ENTRY, Format
from registry.signature import Input, Signature

if TYPE_CHECKING:
    from torch.export import ExportedProgram
    from torch.fx import Node


@dataclass(frozen=True)
class Part:
    """A program and what it is to be called with."""

    program: "ExportedProgram"
    signature: Signature


def export_part(
    body: Body, outputs: "Mapping[str, Node]", inputs: "Mapping[Node, Input]", brief: Brief
) -> Part:
    """Trace a piece of the graph anew, so that each of its axes is a symbol of its own.

    The sizes of vectors are expressions of other sizes until then, and a program holds its
    callers to such expressions even where the inputs they speak of are gone.

    Args:
        inputs: Those that it may take, in order; it takes the ones that it needs.
        brief: Of the whole model.
    """
    module, used = extract(body, tuple(outputs.values()), tuple(inputs))
    given = tuple(inputs[node] for node in used)
    axes = with_derived(brief.axes, given)
    own = replace(brief, inputs=given, axes=axes, outputs=tuple(outputs))
    program = export_program(module, own)
    return Part(program=program, signature=program_signature(program, own))


def write_dense(part: Part, ranges: Mapping[str, tuple[int, int]], out: Path) -> Artifact:
    """Write `dense/model.pt2`.

    Args:
        ranges: Of those of its inputs that are rows of integer tables.
    """
    import torch

    save_program(part.program, out / "dense", part.signature)
    return Artifact(
        part="dense",
        format=Format.EXPORTED_PROGRAM,
        folder="dense",
        signature=part.signature,
        maker=f"torch.export {torch.__version__}",
        ranges=dict(ranges),
    )


def write_ids(part: Part, name: str, out: Path) -> tuple[Artifact, tuple[Remark, ...]]:
    """Write an ids program as `model.onnx` in a folder of its name."""
    import torch

    file = out / name / ENTRY[Format.ONNX]
    file.parent.mkdir(parents=True, exist_ok=True)
    remarks = export_onnx(part.program, file, part.signature)
    artifact = Artifact(
        part=name,
        format=Format.ONNX,
        folder=name,
        signature=part.signature,
        maker=f"torch.onnx (dynamo) {torch.__version__}",
    )
    return artifact, remarks
