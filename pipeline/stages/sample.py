"""The few recorded answers that a version carries."""

from pathlib import Path

import numpy as np

from registry.errors import ParityError
from registry.signature import Input
from targets.parity.cases import Case, read_cases
from targets.parity.rows import row_count, take_rows


def sample_of(reference: Path, inputs: tuple[Input, ...], most: int) -> dict[str, np.ndarray]:
    """Return up to `most` rows of the first answered case, as `input/<name>` and `output/<name>`.

    Recorded cases come before generated ones. Answers that are not one for each row are taken
    whole, with all their inputs.
    """
    case = _first_answered(reference)
    outputs = case.outputs or {}
    rows = row_count(inputs, case.inputs)
    taken = dict(case.inputs)
    if all(output.shape[:1] == (rows,) for output in outputs.values()):
        taken = take_rows(inputs, case.inputs, 0, min(rows, most))
        outputs = {name: output[:most] for name, output in outputs.items()}
    named = {f"input/{name}": array for name, array in taken.items()}
    named |= {f"output/{name}": array for name, array in outputs.items()}
    return {name: np.asarray(array, order="C") for name, array in named.items()}


def _first_answered(reference: Path) -> Case:
    for case in read_cases(reference):
        if case.outputs is not None:
            return case
    raise ParityError("the original model refuses every case: there is no answer to record")
