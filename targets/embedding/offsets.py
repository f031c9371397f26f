"""What offsets have to be to cut ids into bags, by torch's rules."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cut:
    """Offsets by name, and the ids that they cut.

    Attributes:
        total: How many ids there are.
        includes_last: The last entry starts no bag, but is the number of ids.
    """

    offsets: str
    ids: str
    total: int
    includes_last: bool


def offset_fault(cut: Cut, offsets: np.ndarray) -> str | None:
    """Say what is wrong with offsets of one axis, if anything is."""
    name, last = cut.offsets, offsets.size - 1
    if cut.includes_last and offsets.size == 0:
        return f"{name}: is empty, but its last entry has to be the number of ids"
    starts = last if cut.includes_last else offsets.size
    if starts and offsets[0] != 0:
        return f"{name}[0]: is {offsets[0]}; the first bag has to start at 0"
    wrong = np.append(offsets[1:] < offsets[:-1], offsets[-1:] > cut.total)
    if wrong.any():
        at = min(int(wrong.argmax()) + 1, last)
        return (
            f"{name}[{at}]: is {int(offsets[at])}; offsets must not fall, nor pass the "
            f"{cut.total} ids of {cut.ids}"
        )
    if cut.includes_last and offsets[-1] != cut.total:
        return (
            f"{name}[{last}]: is {int(offsets[-1])}; the last entry has to be {cut.total}, the "
            f"number of ids of {cut.ids}"
        )
    return None
