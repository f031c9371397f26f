"""The room that folders take on the disk, where files are linked from several of them."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Taken:
    """A file: its place, which it shares with its links, its bytes on the disk, its links."""

    place: tuple[int, int]
    bytes: int
    links: int


def files_of(folder: Path) -> tuple[Taken, ...]:
    """Look at every file below a folder."""
    return tuple(map(_taken, _walk(folder)))


def bytes_taken(files: Iterable[Taken]) -> int:
    """Return the bytes that files take; those that are links of one another count once."""
    return sum({file.place: file.bytes for file in files}.values())


def bytes_freed(files: Iterable[Taken]) -> int:
    """Return what removing files frees: nothing where other links stay."""
    every = tuple(files)
    removed = Counter(file.place for file in every)
    return bytes_taken(file for file in every if removed[file.place] >= file.links)


def _taken(stat: os.stat_result) -> Taken:
    return Taken((stat.st_dev, stat.st_ino), stat.st_blocks * 512, stat.st_nlink)


def _walk(folder: Path) -> Iterator[os.stat_result]:
    for path in folder.rglob("*"):
        try:
            stat = path.lstat()
        except FileNotFoundError:  # a run is at work
            continue
        if not path.is_dir() or path.is_symlink():
            yield stat
