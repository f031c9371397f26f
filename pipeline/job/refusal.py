"""The first sample value that cannot be taken, and why."""

from dataclasses import dataclass

import numpy as np

from pipeline.job.misfits import MisfitError


@dataclass(frozen=True)
class Rule:
    """What values break.

    Attributes:
        why: Goes on after the value: "is no id".
        key: The input's key that says otherwise.
        remedy: What to do about it, where `why` does not say.
    """

    why: str
    key: str = "dtype"
    remedy: str = ""


def refuse(where: str, array: np.ndarray, bad: np.ndarray, rule: Rule) -> None:
    """Refuse values that are marked as bad, if any are.

    Args:
        where: File and column, for messages.
        bad: Booleans in the array's shape.

    Raises:
        MisfitError: Names the first of them, its row, and how many there are.
    """
    if bad.any():
        remedy = f": {rule.remedy}" if rule.remedy else ""
        raise MisfitError(f"{first_of(where, array, bad, rule.why)}{remedy}", rule.key)


def first_of(where: str, array: np.ndarray, bad: np.ndarray, why: str) -> str:
    """Say what the first of the marked values is, in which row, and how many there are."""
    first = np.unravel_index(int(np.argmax(bad)), bad.shape)
    count = int(np.count_nonzero(bad))
    more = f" ({count} such values)" if count > 1 else ""
    return f"{where}, row {first[0]}: {array[first]!s} {why}{more}"
