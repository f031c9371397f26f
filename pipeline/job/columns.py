"""Columns `x_0`, `x_1`, … that are one input `x`."""

import re
from collections.abc import Sequence

_NUMBERED = re.compile(r"(.+)_(\d+)", re.ASCII)


def numbered(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Find columns that are numbered from 0 or 1 on, by the name that they share, in order."""
    found: dict[str, dict[int, str]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            found.setdefault(match[1], {})[int(match[2])] = name
    return {
        stem: tuple(columns[at] for at in sorted(columns))
        for stem, columns in found.items()
        if stem not in names and _run_on(sorted(columns))
    }


def _run_on(numbers: list[int]) -> bool:
    first = numbers[0]
    return len(numbers) > 1 and first in (0, 1) and numbers == [*range(first, first + len(numbers))]
