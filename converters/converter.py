"""What a conversion from one format to another has to offer, and the one place that checks it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from registry.calibration import Calibrated
from registry.composition import Artifact
from registry.errors import ConversionError
from registry.format import Format
from registry.signature import (
    Axis,
    Frozen,
    Input,
    Layout,
    Precision,
    Signature,
    same_but_unnamed,
)


class ConvertOptions(Frozen):
    """What a target asks of the files.

    Attributes:
        weights: What float weights are stored in. Always explicit: nothing is halved silently.
        layout: Which axis of images lies innermost.
        axes: Of the job: the sizes that free axes may have.
        inputs: Of the job: the integers that its inputs may hold.
        isa: CPU flags that the target has.
        calibrated: How scales of i8 are found once; None where each request finds its own.
        feeds: What the part is fed on recorded samples, as `converters.calibration` writes it.
    """

    weights: Precision = "f32"
    layout: Layout = "auto"
    axes: dict[str, Axis] = Field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    isa: tuple[str, ...] = ("avx2", "fma")
    calibrated: Calibrated | None = None
    feeds: Path | None = None


def _let_pass(file: Path, inputs: tuple[Input, ...]) -> None:
    """Refuse nothing."""


@dataclass(frozen=True)
class Converter:
    """One step of a route: one file, one row in CONVERTERS.

    Attributes:
        convert: Read the part in the first folder, write it to the second, and say what
            wrote it ('openvino 2026.4.1').
        read_signature: Read the signature from the written files alone.
        inspect: Faults of the written files: foreign operators, dangling external data.
        guard: Refuse a source file which the result would silently compute otherwise, given
            what the job says of the inputs; raises ConversionError.
        in_target: Whether it is the runtime's own converter, and so runs in the toolchain of the
            target; others run in that of the platform.
        by_isa: Whether the result is for the CPU flags of the target alone.
    """

    source: Format
    result: Format
    convert: Callable[[Path, Path, ConvertOptions], str]
    read_signature: Callable[[Path], Signature]
    inspect: Callable[[Path], tuple[str, ...]]
    guard: Callable[[Path, tuple[Input, ...]], None] = _let_pass
    in_target: bool = False
    by_isa: bool = False


def convert(
    converter: Converter, source: Artifact, root: Path, out: Path, options: ConvertOptions
) -> Artifact:
    """Take one step of a route and hold its files against the contract.

    Args:
        root: The folder that `source.folder` is relative to.
        out: Where to write; the result's folder is "." relative to it.
    """
    step = f"{converter.source} to {converter.result}"
    maker = converter.convert(root / source.folder, out, options)
    if faults := converter.inspect(out):
        raise ConversionError(f"{source.part}: {step} wrote a faulty file: {'; '.join(faults)}")
    signature = converter.read_signature(out)
    if not same_but_unnamed(signature, source.signature):
        raise ConversionError(
            f"{source.part}: {step} changed the signature, from {source.signature} to {signature}"
        )
    return Artifact(
        part=source.part,
        format=converter.result,
        folder=".",
        signature=source.signature,
        maker=maker,
        ranges=source.ranges,
    )
