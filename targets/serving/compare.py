"""Compare answers with those that the original model gave, as the version recorded them."""

from collections.abc import Mapping

import numpy as np

from registry.errors import ServeError
from registry.manifest import Build, Numbers
from targets.serving.recorded import RecordedAnswers


def compare(
    answers: Mapping[str, np.ndarray], recorded: RecordedAnswers, build: Build, who: str
) -> str:
    """Hold answers to the recorded inputs against the tolerances that the build was published with.

    Returns:
        What was compared, in a line.

    Raises:
        ServeError: An output is missing, off, or of another shape; or nothing was compared.
    """
    faults = []
    compared = 0
    for numbers in _tolerances(build):
        name = numbers.output
        if name not in answers or name not in recorded.outputs:
            faults.append(f"{name}: there is nothing to compare")
            continue
        compared += answers[name].size
        faults += _fault(name, answers[name], recorded.outputs[name], numbers)
    if not compared:
        faults.append("nothing was compared")
    if faults:
        raise ServeError(f"{who} does not answer as the original did. {'; '.join(faults)}")
    return f"{compared} values equal the recorded ones within the version's tolerances"


def _tolerances(build: Build) -> tuple[Numbers, ...]:
    """Take the tolerances as shipped, or as converted where there are no others."""
    by_kind = {parity.kind: parity.outputs for parity in build.parity}
    return by_kind.get("precision") or by_kind.get("conversion") or ()


def _fault(name: str, answer: np.ndarray, wanted: np.ndarray, numbers: Numbers) -> list[str]:
    if answer.shape != wanted.shape:
        return [f"{name}: shape {list(answer.shape)}, recorded was {list(wanted.shape)}"]
    left, right = answer.astype(float), wanted.astype(float)
    within = np.isclose(left, right, numbers.rtol, numbers.atol, equal_nan=True)
    if within.all():
        return []
    bad = tuple(int(place) for place in np.argwhere(~within)[0])
    count = f"{int((~within).sum())} of {answer.size} values are off, first at {list(bad)}"
    first = f"{left[bad]:g}, recorded was {right[bad]:g}"
    return [f"{name}: {count}: {first}; the largest difference is {_largest(left, right):g}"]


def _largest(left: np.ndarray, right: np.ndarray) -> float:
    """Return the largest difference; infinite where one side alone is not finite."""
    with np.errstate(invalid="ignore"):
        difference = np.abs(left - right)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    return float(np.nan_to_num(np.where(same, 0.0, difference), nan=np.inf, posinf=np.inf).max())
