"""Cut the dense part into named parts, in whichever format it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from converters.brief import Brief
from converters.parts.graph import cut_graph
from converters.parts.program import cut_program
from converters.parts.ranges import with_ranges
from converters.split.axes import with_derived
from converters.split.policy import PartRule
from registry.composition import Artifact
from registry.errors import SplitError
from registry.format import Format
from registry.signature import DType, Input

Cutter = Callable[[Path, Sequence[PartRule], Brief, Path], list[Artifact]]

CUTTERS: Mapping[Format, Cutter] = MappingProxyType(
    {Format.EXPORTED_PROGRAM: cut_program, Format.ONNX: cut_graph}
)


def cut_parts(
    dense: Artifact, root: Path, rules: Sequence[PartRule], brief: Brief, out: Path
) -> tuple[Artifact, ...]:
    """Cut the dense part, write the parts, and make sure that they compose.

    Args:
        root: The folder that `dense.folder` is relative to.
        brief: Of the whole model.

    Raises:
        SplitError: The nodes that the job names do not cut it.
    """
    known = {one.name: one for one in brief.inputs}
    inputs = tuple(
        known.get(one.name) or Input(name=one.name, dtype=one.dtype, shape=one.shape)
        for one in dense.signature.inputs
    )
    own = replace(
        brief,
        inputs=inputs,
        axes=with_derived(brief.axes, inputs),
        outputs=tuple(one.name for one in dense.signature.outputs),
    )
    if taken := {one.name for one in inputs} & set(own.outputs):
        raise SplitError(
            f"split.parts: '{min(taken)}' is an input and an output as well, which parts could not "
            "tell apart: give the output another name in `outputs`"
        )
    parts = CUTTERS[dense.format](root / dense.folder, rules, own, out)
    _check_handed(parts, own)
    return tuple(with_ranges(parts, out, inputs, dense.ranges))


def _check_handed(parts: Sequence[Artifact], brief: Brief) -> None:
    """Refuse to hand on what runtimes do not hand out."""
    for part in parts:
        for one in part.signature.outputs:
            if one.dtype is DType.BFLOAT16 and one.name not in brief.outputs:
                raise SplitError(
                    f"split.parts: part '{part.part}' would hand on '{one.name}' as bfloat16, "
                    "which not every runtime hands out: end the part where it is cast to float32, "
                    "or before it is cast from that"
                )
