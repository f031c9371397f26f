"""What is wrong in a job file, and where."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from pipeline.job.text import Text
from registry.errors import JobError

_SHOWN = 50
_COLUMNS = 100


@dataclass(frozen=True, order=True)
class Place:
    """A stretch of one line; line and column count from 0, in code points."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong, and what mends it."""

    place: Place
    message: str


class JobFileError(JobError):
    """Every fault that a job file has, in the order of the text."""

    def __init__(self, text: Text, faults: Iterable[Fault]) -> None:
        self.file = text.name
        self.faults = _one_a_place(faults)
        super().__init__(_render(text, self.faults))


def as_records(path: Path, error: JobError) -> list[JsonValue]:
    """List what is wrong with a job file for machines; line and column count from 1."""
    if not isinstance(error, JobFileError):
        return [{"file": str(path), "message": str(error)}]
    return [
        {
            "file": error.file,
            "line": fault.place.line + 1,
            "column": fault.place.column + 1,
            "message": fault.message,
        }
        for fault in error.faults
    ]


def _one_a_place(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Keep the first that was found at each place: what follows from it is noise."""
    first: dict[tuple[int, int], Fault] = {}
    for fault in faults:
        first.setdefault((fault.place.line, fault.place.column), fault)
    return tuple(sorted(first.values()))


def _render(text: Text, faults: tuple[Fault, ...]) -> str:
    count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
    blocks = [f"{text.name}: {count}"]
    lines = text.lines
    blocks += [block(text.name, lines, fault) for fault in faults[:_SHOWN]]
    if len(faults) > _SHOWN:
        blocks.append(f"… and {len(faults) - _SHOWN} more")
    return "\n\n".join(blocks)


def block(name: str, lines: list[str], fault: Fault) -> str:
    """Write a fault with its place, the line and a caret under it."""
    place = fault.place
    line, caret = _window(lines[place.line], place)
    return (
        f"{name}:{place.line + 1}:{place.column + 1}: {fault.message}\n"
        f"{place.line + 1:>5} | {line}\n"
        f"{' ' * 5} | {caret}"
    )


def _window(line: str, place: Place) -> tuple[str, str]:
    """Cut a long line to what stands around the place, and draw the caret under it."""
    start = max(0, place.column - _COLUMNS // 2) if len(line) > _COLUMNS else 0
    shown = line[start : start + _COLUMNS]
    before = ("…" if start else "") + shown[: place.column - start]
    under = shown[place.column - start :][: place.width]
    after = shown[place.column - start + len(under) :]
    tail = "…" if start + _COLUMNS < len(line) else ""
    caret = " " * _cells(before) + "^" * max(1, _cells(under))
    return _printable(before + under + after) + tail, caret


def _printable(line: str) -> str:
    return "".join(
        " " if char == "\t" else "�" if unicodedata.category(char) == "Cc" else char
        for char in line
    )


def _cells(text: str) -> int:
    """Count the terminal's columns: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
