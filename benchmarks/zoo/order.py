"""What a child is told to do for a model, and what it tells of it."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from pipeline.processes.task import Task
from registry.signature import Frozen


class Step(Frozen):
    """One task of a model, where its output goes, and the tasks that it needs."""

    task: Task
    out: Path
    needs: tuple[str, ...]


class Order(Frozen):
    """Steps of one model, for one child.

    Attributes:
        events: The file that the child tells in what it does, an Event a line.
        timeout: Seconds after which the child is ended.
    """

    steps: tuple[Step, ...]
    log: Path
    events: Path
    timeout: float


class Event(Frozen):
    """What became of a task; the last one of each task counts.

    Attributes:
        kind: Of the error, by its class in `registry.errors`, or what ended the child.
        seconds: Of CPU time.
    """

    task: str
    state: Literal["started", "done", "failed", "skipped"]
    kind: str = ""
    message: str = ""
    seconds: float = 0.0


class Ended(Frozen):
    """How a child ended: its exit code, or minus the signal; None where it took too long."""

    code: int | None = Field()


def read_events(file: Path) -> dict[str, Event]:
    """Return the last event of each task."""
    if not file.exists():
        return {}
    events = map(Event.model_validate_json, file.read_text().splitlines())
    return {event.task: event for event in events}
