"""Halve a graph until one node is left between what is right and what is wrong."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.stages.bisection import Reading


@dataclass(frozen=True)
class Found:
    """Where the graph turns from right to wrong.

    Attributes:
        right: The last cut known to be within tolerance; -1 is before the first node.
        wrong: The first cut known not to be; None where the whole graph is within tolerance, or
            cannot be run.
        before, after: What was read there.
    """

    right: int
    wrong: int | None
    before: Reading | None
    after: Reading | None


def search(count: int, read: Callable[[int], Reading | None], seconds: float) -> Found:
    """Find a node that turns a graph wrong, by reading about log2(count) cuts.

    Args:
        count: Of the nodes.
        read: How far the target is off after a node; None where the cut cannot be run.
        seconds: How long it may take; a cut is not begun that would likely take longer.
    """
    begun = time.monotonic()
    right, wrong = -1, count - 1
    before, after = None, read(wrong)
    longest = time.monotonic() - begun
    if after is None or after.worst <= 1:
        return Found(wrong, None, after, None)
    unknown: set[int] = set()
    while (middle := _nearest(right, wrong, unknown)) is not None:
        start = time.monotonic()
        if start + longest > begun + seconds:
            break
        here = read(middle)
        longest = max(longest, time.monotonic() - start)
        if here is None:
            unknown.add(middle)
        elif here.worst > 1:
            wrong, after = middle, here
        else:
            right, before = middle, here
    return Found(right, wrong, before, after)


def _nearest(right: int, wrong: int, unknown: set[int]) -> int | None:
    """Return the cut nearest to the middle that was not tried."""
    middle = (right + wrong) // 2
    left = set(range(right + 1, wrong)) - unknown
    return min(left, key=lambda cut: abs(cut - middle), default=None)
