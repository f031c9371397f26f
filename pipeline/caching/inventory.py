"""What the cache and the runs' folders hold: how old it is, and who needs it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from pipeline.caching.holding import Name, is_running, name_of, needs_of
from registry.signature import Frozen

DAMAGED = "damaged"


class _Stage(Frozen, extra="ignore"):
    output: Path | None = None


class _Run(Frozen, extra="ignore"):
    """The part of `run.json` that says what a run used, and when."""

    model: str
    started: datetime
    stages: tuple[_Stage, ...] = ()


class _Entry(Frozen, extra="ignore"):
    """The part of an entry's `record.json` that says what it is."""

    name: str
    made: datetime


@dataclass(frozen=True)
class Run:
    """The folder of a run.

    Attributes:
        entries: The entries of the cache that it made or used, or, while it runs, needs.
    """

    folder: Path
    model: str
    started: datetime
    running: bool
    entries: frozenset[Name]


@dataclass(frozen=True)
class Kept:
    """An entry of the cache.

    Attributes:
        task: Its task's name; `DAMAGED` where its record cannot be read, and no run can use it.
        models: Of the runs that used it.
        used: When it was last made or used.
        needed: Whether a run that is under way needs it.
    """

    folder: Path
    task: str
    models: tuple[str, ...]
    used: datetime
    needed: bool

    @property
    def name(self) -> Name:
        """Its stage and key."""
        return name_of(self.folder)


@dataclass(frozen=True)
class Inventory:
    """All there is, the longest unused first.

    Attributes:
        weights: Folders of weights that were fetched, and when a run last took them.
    """

    entries: tuple[Kept, ...]
    runs: tuple[Run, ...]
    weights: tuple[tuple[Path, datetime], ...] = ()


def take_inventory(home: Path) -> Inventory:
    """Look through the cache and the runs' folders; nothing is changed."""
    folders = [path for path in home.glob("runs/*/*") if path.is_dir()]
    runs = sorted(map(_read_run, folders), key=lambda run: run.started)
    folders = [path for path in home.glob("cache/*/*") if path.is_dir() and not path.suffix]
    entries = [_read_entry(folder, runs) for folder in folders]
    fetched = [(path, _changed(path)) for path in home.glob("weights/*/*") if path.is_dir()]
    weights = sorted(fetched, key=lambda one: one[1])
    return Inventory(
        tuple(sorted(entries, key=lambda entry: entry.used)), tuple(runs), tuple(weights)
    )


def _read_run(folder: Path) -> Run:
    running = is_running(folder)
    needs = needs_of(folder) if running else frozenset()
    try:
        said = _Run.model_validate_json((folder / "run.json").read_bytes())
    except (OSError, ValidationError):
        return Run(folder, folder.parent.name, _changed(folder), running, needs)
    used = (name_of(stage.output.parent) for stage in said.stages if stage.output is not None)
    return Run(folder, said.model, said.started, running, needs.union(used))


def _read_entry(folder: Path, runs: list[Run]) -> Kept:
    users = [run for run in runs if name_of(folder) in run.entries]
    try:
        said = _Entry.model_validate_json((folder / "record.json").read_bytes())
        task, made = said.name, said.made
    except (OSError, ValidationError):
        task, made = DAMAGED, _changed(folder)
    # What was made while a run is under way may be that run's: it can add tasks to its plan.
    under_way = [run for run in runs if run.running]
    return Kept(
        folder=folder,
        task=task,
        models=tuple(sorted({run.model for run in users})),
        used=max([made, *(run.started for run in users)]),
        needed=any(run in users or made >= run.started for run in under_way),
    )


def _changed(folder: Path) -> datetime:
    return datetime.fromtimestamp(folder.stat().st_mtime, UTC)
