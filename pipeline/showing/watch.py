"""Ways to show a run: a live line a stage, plain lines, or JSON events."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from pydantic import JsonValue

from pipeline.record import StageRecord
from pipeline.showing.console import emit, is_live, live_bars, live_line, note
from pipeline.showing.progress import duration, how_far, size
from registry.progress import Progress, silent


class Watch(Protocol):
    """Told of everything that happens in a run."""

    def started(self, name: str, why: str) -> Progress:
        """A task begins; return what takes its progress."""

    def waiting(self, name: str) -> None:
        """Another run is doing the same task; this one waits for its output."""

    def ended(self, stage: StageRecord) -> None:
        """A task is over, or did not have to be done."""


class Unwatched:
    """Shows nothing."""

    def started(self, name: str, why: str) -> Progress:  # noqa: ARG002  the protocol's
        """Take no progress."""
        return silent

    def waiting(self, name: str) -> None:
        """Wait silently."""

    def ended(self, stage: StageRecord) -> None:
        """End silently."""


class Lines:
    """Plain lines on stderr: when a task starts, when it ends, and every minute between."""

    def __init__(self, interval: float = 60.0) -> None:
        self.interval = interval

    def started(self, name: str, why: str) -> Progress:
        """Say that it starts, and why it has to."""
        note(f"{name}: started ({why})")
        start = last = time.monotonic()

        def progress(done: float, total: float, unit: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= self.interval:
                last = now
                note(f"{name}: {how_far(done, total, unit, now - start)}")

        return progress

    def waiting(self, name: str) -> None:
        """Say what is waited for."""
        note(f"{name}: another run is doing this, waiting for it")

    def ended(self, stage: StageRecord) -> None:
        """Say how it ended."""
        note(f"{stage.name}: {ending(stage)}")


class Events:
    """JSON events on stdout, one a line; progress at most once a second."""

    def started(self, name: str, why: str) -> Progress:
        """Tell of the start."""
        emit({"event": "started", "task": name, "why": why})
        last = 0.0

        def progress(done: float, total: float, unit: str) -> None:
            nonlocal last
            if done >= total or time.monotonic() - last >= 1:
                last = time.monotonic()
                how_far: dict[str, JsonValue] = {"done": done, "total": total, "unit": unit}
                emit({"event": "progress", "task": name, **how_far})

        return progress

    def waiting(self, name: str) -> None:
        """Tell what is waited for."""
        emit({"event": "waiting", "task": name})

    def ended(self, stage: StageRecord) -> None:
        """Tell of the end."""
        figures = stage.model_dump(mode="json", include={"outcome", "why", "usage", "error"})
        emit({"event": "ended", "task": stage.name, **figures})


class Live:
    """One line a task on a terminal: how much, how fast, how long still; then what it took."""

    def __init__(self) -> None:
        self.bars = live_bars()

    def started(self, name: str, why: str) -> Progress:  # noqa: ARG002  the line has no room
        """Add the task's line."""
        return live_line(self.bars, name)

    def waiting(self, name: str) -> None:
        """Say what is waited for, above the lines."""
        self.bars.console.print(f"{name}: another run is doing this, waiting for it")

    def ended(self, stage: StageRecord) -> None:
        """Leave the line with what it took."""
        known = {task.description: task.id for task in self.bars.tasks}
        line = known.get(stage.name)
        if line is None:
            line = self.bars.add_task(stage.name, state="")
        done = 0.0 if stage.outcome == "failed" else 1.0
        self.bars.update(line, total=1.0, completed=done, state=ending(stage))


def ending(stage: StageRecord) -> str:
    """Say in a few words how a task ended."""
    if stage.outcome == "done" and stage.usage:
        return f"{duration(stage.usage.seconds)}, peak {size(stage.usage.peak)}"
    return str(stage.outcome)


@contextmanager
def watching(*, json: bool) -> Iterator[Watch]:
    """Choose how to show a run here."""
    if json:
        yield Events()
    elif not is_live():
        yield Lines()
    else:
        live = Live()
        with live.bars:
            yield live
