"""What integers that go from part to part can be, for runtimes that compute with 32 bits."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from converters import route
from converters.converter import ConvertOptions
from converters.onnx_models.integers import reach_of
from registry.composition import Artifact
from registry.errors import PlatformError
from registry.format import ENTRY, Format
from registry.signature import DType, Input

_WIDE = DType.INT64

Ranges = dict[str, tuple[int, int]]


def with_ranges(
    parts: Sequence[Artifact], folder: Path, inputs: Sequence[Input], ranges: Ranges
) -> Iterator[Artifact]:
    """Note at each part the least and the greatest integer that its inputs may hold.

    Args:
        folder: That the parts' folders are relative to.
        inputs: Of the dense part, as far as the job describes them.
        ranges: Of the dense part.
    """
    known = dict(ranges)
    for number, part in enumerate(parts):
        names = {one.name for one in part.signature.inputs}
        own = {name: span for name, span in known.items() if name in names}
        made = part.model_copy(update={"ranges": own})
        yield made
        read = {one.name for later in parts[number + 1 :] for one in later.signature.inputs}
        handed = {one.name for one in part.signature.outputs if one.dtype is _WIDE} & read
        if handed:
            reached = _reached(made, folder / part.folder, inputs)
            known |= {name: span for name, span in reached.items() if name in handed}


def _reached(part: Artifact, folder: Path, inputs: Sequence[Input]) -> Ranges:
    """Follow integers through a part as ONNX; nothing is known of one that ONNX cannot express."""
    described = tuple(
        Input(**one.model_dump(), range=part.ranges[one.name])
        for one in part.signature.inputs
        if one.name in part.ranges
    )
    with TemporaryDirectory() as scratch:
        try:
            for number, step in enumerate(route(part.format, Format.ONNX)):
                out = Path(scratch) / str(number)
                step.convert(folder, out, ConvertOptions(weights="f32"))
                folder = out
        except PlatformError:
            return {}
        return reach_of(folder / ENTRY[Format.ONNX], (*inputs, *described))
