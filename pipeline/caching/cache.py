"""Outputs of stages, kept by the digest of what they were made from.

    <home>/cache/<stage>/<key>/output/       what the stage wrote
                               record.json   its material, its files' digests, what it took
                               log.txt, task.json, reproduce.sh
    <home>/cache/<stage>/<key>.lock          held by the run that makes the entry
    <home>/cache/<stage>/<key>.<n>.partial   an entry in the making, or what is left of one
    <home>/last/<model>/<job>/<task>.json    the material of the last time, to say what changed

An entry appears by one rename, so it is whole or absent. Nothing is flushed to the disk for it:
where the machine loses power, files may not fit the record any more. Their size or time mostly
tells, and then the entry is made again; their digests do, before anything of it is published.
"""

import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pydantic import Field, ValidationError

from pipeline.caching.kept_files import KeptFile, check_files
from pipeline.caching.material import Material, changes
from pipeline.caching.whole_file import write_whole
from pipeline.record import Usage
from registry.composition import Remark
from registry.lock_file import take_lock
from registry.signature import Frozen


class Entry(Frozen):
    """`record.json`: `files` lists every file of the output."""

    name: str
    material: Material
    usage: Usage
    files: dict[str, KeptFile] = Field(min_length=1)
    remarks: tuple[Remark, ...] = ()
    made: datetime

    @property
    def bytes(self) -> int:
        """The size of the output."""
        return sum(file.size for file in self.files.values())


def folder_of(home: Path, stage: str, key: str) -> Path:
    """Return where the entry is or would be."""
    return home / "cache" / stage / key


def read_entry(folder: Path) -> Entry:
    """Read an entry and hold its files against its record.

    Raises:
        FileNotFoundError: There is no entry.
        ValueError: The entry is not whole; the message says how.
    """
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    try:
        entry = Entry.model_validate_json((folder / "record.json").read_bytes())
    except (OSError, ValidationError) as error:
        raise ValueError("its record cannot be read") from error
    check_files(folder / "output", entry.files)
    return entry


@contextmanager
def hold(folder: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Keep other runs from making the same entry; wait where one does, after saying so."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    path = folder.with_name(f"{folder.name}.lock")
    lock = take_lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    while lock is None:
        on_wait()
        lock = take_lock(path, fcntl.LOCK_EX)
    with lock:
        yield


@contextmanager
def draft_of(folder: Path) -> Iterator[Path]:
    """Give a new folder for the making of an entry that is held; gone after, whatever happens."""
    for left in folder.parent.glob(f"{folder.name}.*.partial"):
        shutil.rmtree(left, ignore_errors=True)
    draft = Path(tempfile.mkdtemp(".partial", f"{folder.name}.", folder.parent))
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def commit(draft: Path, entry: Entry, folder: Path) -> None:
    """Make a draft the entry, in place of one that was not whole."""
    (draft / "record.json").write_text(entry.model_dump_json(indent=1))
    if folder.exists():
        folder.rename(Path(tempfile.mkdtemp(".partial", f"{folder.name}.", folder.parent)))
    draft.rename(folder)


def sweep(home: Path) -> None:
    """Remove what killed runs left: drafts whose entry no run is making."""
    for left in home.glob("cache/*/*.partial"):
        path = left.with_name(f"{left.name.partition('.')[0]}.lock")
        if lock := take_lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
            with lock:
                shutil.rmtree(left, ignore_errors=True)


def remove(folder: Path) -> bool:
    """Remove an entry, unless a run is making it again: by one rename, as it came."""
    path = folder.with_name(f"{folder.name}.lock")
    lock = take_lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if lock is None:
        return False
    with lock:
        doomed = Path(tempfile.mkdtemp(".partial", f"{folder.name}.", folder.parent))
        folder.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)
        path.unlink()
    return True


def why_not(home: Path, job: str, name: str, material: Material) -> str:
    """Say why there is no entry for a task: what changed since its last time.

    Args:
        job: The model's name and the job's, as in `Plan.job`: another job for the same model
            is no earlier time of this one.
    """
    try:
        before = Material.model_validate_json(_last(home, job, name).read_bytes())
    except (OSError, ValidationError):
        return "first run"
    if before.folder != material.folder:
        return f"first run in this folder: a job of this name was last run in {before.folder}"
    return changes(before, material) or "its output is not in the cache any more"


def entry_before(home: Path, job: str, name: str) -> Entry | None:
    """Return what the task left the last time it was done, if it is still there."""
    try:
        before = Material.model_validate_json(_last(home, job, name).read_bytes())
        return read_entry(folder_of(home, before.stage, before.key()))
    except (OSError, ValueError):
        return None


def remember(home: Path, job: str, name: str, material: Material) -> None:
    """Keep what a task was done with, for `why_not`."""
    write_whole(_last(home, job, name), material.model_dump_json())


def _last(home: Path, job: str, name: str) -> Path:
    return home / "last" / job / f"{slug(name)}.json"


def slug(name: str) -> str:
    """Turn a task's name into a file's."""
    return name.replace(" ", "-").replace("/", "-")
