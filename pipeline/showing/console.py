"""The terminal: results on stdout, as text or JSON; progress on stderr. Only this knows rich."""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from pipeline.showing.closed_pipe import write
from pipeline.showing.progress import amount, duration, how_far
from pipeline.showing.table import lay_out
from registry.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

#: What JSON can say; pydantic's JsonValue refuses a list of one kind of value.
Json: TypeAlias = "str | int | float | Sequence[Json] | Mapping[str, Json] | None"


def say(text: str) -> None:
    """Print a result."""
    write(sys.stdout, f"{text}\n")


def note(text: str) -> None:
    """Print what is not a result, for people: stderr."""
    write(sys.stderr, f"{text}\n")


def emit(record: Mapping[str, Json]) -> None:
    """Print one JSON object on one line, at once: `--json`."""
    write(sys.stdout, json.dumps(record, ensure_ascii=False) + "\n")


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print aligned columns; on a terminal the last one is broken where the line ends."""
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lay_out(header, rows, room):
        say(line)


def is_live() -> bool:
    """Say whether lines on stderr may be redrawn: a terminal, and not CI."""
    plain = os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return sys.stderr.isatty() and not plain


@contextmanager
def progress_line(label: str) -> Iterator[Progress]:
    """Show one piece of work on stderr: a live line, or a line at its start and its end."""
    if is_live():
        with live_bars() as bars:
            yield live_line(bars, label)
        return
    note(f"{label} ...")
    start, seen = time.monotonic(), [""]

    def remember(done: float, total: float, unit: str) -> None:  # noqa: ARG001
        seen[0] = f", {amount(done, unit)}"

    yield remember
    note(f"{label}: {duration(time.monotonic() - start)}{seen[0]}")


def live_bars() -> "Bars":
    """Return rich's bars on stderr, colours by NO_COLOR."""
    from rich.console import Console  # noqa: PLC0415  the commands that draw nothing start fast
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.fields[state]}"),
    )
    return Bars(*columns, console=Console(stderr=True))


def live_line(bars: "Bars", label: str) -> Progress:
    """Add a line to the bars and return what moves it: how much, how fast, how long still."""
    line = bars.add_task(label, total=None, state="")
    start = time.monotonic()

    def move(done: float, total: float, unit: str) -> None:
        state = how_far(done, total, unit, time.monotonic() - start)
        bars.update(line, completed=done, total=total, state=state)

    return move
