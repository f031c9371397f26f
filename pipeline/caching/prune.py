"""Remove what was not used for long, or is too much, from the cache and the runs' folders."""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from pipeline.caching import cache
from pipeline.caching.holding import removing
from pipeline.caching.inventory import DAMAGED, Inventory, Kept, Run, take_inventory
from pipeline.caching.room import bytes_freed, bytes_taken, files_of


@dataclass(frozen=True)
class Rule:
    """What may go. Each that is given adds to what goes; what a running run needs never does.

    Attributes:
        unused: Entries that no run used, and runs that began, longer ago than this.
        runs: All but so many of each model's newest runs, and entries that none of those used.
        size: Entries, the longest unused first, until the rest takes no more than these bytes.
    """

    unused: timedelta | None = None
    runs: int | None = None
    size: int | None = None


@dataclass(frozen=True)
class Chosen:
    """What goes, and the bytes that it frees.

    Attributes:
        weights: Folders of weights that were fetched; a run that needs them fetches them again.
    """

    entries: tuple[Kept, ...]
    runs: tuple[Run, ...]
    freed: int
    weights: tuple[Path, ...] = ()


def choose(found: Inventory, rule: Rule, now: datetime) -> Chosen:
    """Say what goes by a rule; entries that are damaged go by any."""
    runs = tuple(_old_runs(found.runs, rule, now))
    recent = {name for run in found.runs if run not in runs for name in run.entries}

    def goes(entry: Kept) -> bool:
        old = rule.unused is not None and now - entry.used > rule.unused
        forgotten = rule.runs is not None and entry.name not in recent
        return not entry.needed and (entry.task == DAMAGED or old or forgotten)

    gone = [entry for entry in found.entries if goes(entry)]
    if rule.size is not None:
        gone += _too_much([one for one in found.entries if one not in gone], rule.size)
    weights = tuple(_old_weights(found, rule, now))
    folders = [*(entry.folder for entry in gone), *(run.folder for run in runs), *weights]
    freed = bytes_freed(file for folder in folders for file in files_of(folder))
    return Chosen(tuple(gone), runs, freed, weights)


def prune(home: Path, rule: Rule, now: datetime) -> Chosen:
    """Remove what goes by a rule, and return it; no run begins meanwhile."""
    with removing(home):
        chosen = choose(take_inventory(home), rule, now)
        entries = tuple(entry for entry in chosen.entries if cache.remove(entry.folder))
        for folder in (*(run.folder for run in chosen.runs), *chosen.weights):
            shutil.rmtree(folder, ignore_errors=True)
    return replace(chosen, entries=entries)


def _old_runs(runs: Iterable[Run], rule: Rule, now: datetime) -> Iterator[Run]:
    """Give the runs that go; the newest of each model stays in any case."""
    newer = Counter[str]()
    for run in sorted(runs, key=lambda run: run.started, reverse=True):
        newer[run.model] += 1
        old = rule.unused is not None and now - run.started > rule.unused
        many = rule.runs is not None and newer[run.model] > rule.runs
        if newer[run.model] > 1 and not run.running and (old or many):
            yield run


def _old_weights(found: Inventory, rule: Rule, now: datetime) -> Iterator[Path]:
    """Give folders of weights that no run has taken for long; none while a run is under way."""
    if rule.unused is None or any(run.running for run in found.runs):
        return
    yield from (folder for folder, used in found.weights if now - used > rule.unused)


def _too_much(entries: Iterable[Kept], most: int) -> Iterator[Kept]:
    """Give the entries that go so that the rest takes no more than so many bytes."""
    files = {entry.folder: files_of(entry.folder) for entry in entries}
    left = Counter(file.place for each in files.values() for file in each)
    taken = bytes_taken(file for each in files.values() for file in each)
    for entry in entries:
        if taken <= most or entry.needed:
            continue
        yield entry
        for file in files[entry.folder]:
            left[file.place] -= 1
            taken -= file.bytes if not left[file.place] else 0
