"""Cut the dense part of a small model, and run the parts one after another."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from converters.onnx_models.reference import open_session
from converters.parts.cut import cut_parts
from converters.programs.answers import answer
from converters.split.policy import PartRule
from registry.composition import Artifact
from registry.format import ENTRY, Format
from tests.models import Model

Arrays = Mapping[str, np.ndarray]


def cut_at(
    model: Model, dense: Artifact, root: Path, out: Path, **until: list[str]
) -> tuple[Artifact, ...]:
    """Cut into parts that end where `until` says, by name, and `rest`."""
    rules = [PartRule(name=name, until=tuple(ends)) for name, ends in until.items()]
    return cut_parts(dense, root, [*rules, PartRule(name="rest")], model.brief(), out)


def run_parts(parts: tuple[Artifact, ...], folder: Path, arrays: Arrays) -> dict[str, np.ndarray]:
    """Answer with what each part takes by name."""
    values = dict(arrays)
    for part in parts:
        taken = {tensor.name: values[tensor.name] for tensor in part.signature.inputs}
        values |= _run(part, folder / part.folder, taken)
    return values


def _run(part: Artifact, folder: Path, arrays: Arrays) -> dict[str, np.ndarray]:
    if part.format is Format.EXPORTED_PROGRAM:
        return answer(folder, arrays)
    return onnx_answers(folder / ENTRY[part.format], arrays)


def onnx_answers(file: Path, arrays: Arrays) -> dict[str, np.ndarray]:
    """Answer with an ONNX file as it is."""
    session = open_session(file)
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(arrays)), strict=True))
