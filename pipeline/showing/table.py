"""Tables of text: columns that line up, within the width of a terminal."""

import textwrap
from collections.abc import Iterator, Sequence

_BETWEEN = "  "

#: Narrower than this a column of words is no longer read.
_NARROWEST = 12


def lay_out(
    header: Sequence[str], rows: Sequence[Sequence[str]], room: int | None
) -> Iterator[str]:
    """Give the lines; a column whose cells all start with a digit is set to the right.

    Args:
        room: Signs in a line: the last column is broken to fit. None breaks nothing, so that
            other programs find a row in a line.
    """
    table = [tuple(header), *map(tuple, rows)]
    columns = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [bool(rows) and all(cell[:1].isdigit() for cell in c[1:] if cell) for c in columns]
    left = None if room is None else room - sum(widths[:-1]) - len(_BETWEEN) * (len(widths) - 1)
    for row in table:
        for cells in _broken(row, left):
            placed = zip(cells, widths, right, strict=True)
            line = _BETWEEN.join(c.rjust(w) if r else c.ljust(w) for c, w, r in placed)
            yield line.rstrip()


def _broken(row: tuple[str, ...], left: int | None) -> Iterator[tuple[str, ...]]:
    """Break the last cell into lines of its own; the others stand in the first of them."""
    *others, last = row
    if left is None or left < _NARROWEST:
        yield row
        return
    first, *more = textwrap.wrap(last, left, break_long_words=False) or [""]
    yield (*others, first)
    for text in more:
        yield (*("" for _ in others), text)
