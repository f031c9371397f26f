"""Numbers on the command line: `inf` and `nan` are floats to Python, and of no use here."""

import math

import typer

#: A hundred years: dates hold no more than some thousands.
MOST_DAYS = 36_500


def finite(value: float | None) -> float | None:
    """Refuse what is no number of seconds, days or bytes."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value
