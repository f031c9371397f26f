"""Find out, shard by shard, what is less: all of it, or the rows that changed."""

import mmap
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from registry.composition import Table
from registry.digest import digest_file, digest_of
from registry.disk import disk_faults
from registry.errors import IntegrityError
from registry.layout import blob_key
from registry.manifest import File, Recipe, Step, Version
from registry.patching.made import Near, lay_over, make
from registry.patching.marking import find_marks
from registry.patching.needed import laid, parts_of
from registry.progress import silent
from registry.side_by_side import Tally, each
from registry.store.store import Store, changed

if TYPE_CHECKING:
    from registry.patching.marks import Marks

#: Steps of a recipe: each is a request more for a host that has none of its stages.
MOST_STEPS = 8

#: What the rows of a recipe may take of the shard's bytes, so that reading it stays quick.
MOST_BYTES = 0.5

#: Shards that are looked at side by side.
_WIDTH = 8

#: Shards of a table that gain nothing before its others are shipped whole without a look.
PATIENCE = 4


@dataclass(frozen=True)
class Change:
    """A shard that changed.

    Attributes:
        width: Bytes of a row.
        before, after: Names of the file in the older and in the new version.
    """

    table: str
    width: int
    before: str
    after: str


class Cook:
    """Finds recipes for a version's shards, and writes the rows that they need to files.

    Args:
        near: Files of this host: older shards are read from there where they are.

    Attributes:
        written: Those files, in the folder `scratch`, by their digests.
    """

    def __init__(self, store: Store, older: Version, scratch: Path, near: Near) -> None:
        self._store, self._older, self._scratch, self._near = store, older, scratch, near
        self._lock = threading.Lock()
        self._in_vain: dict[str, int] = {}
        self.written: dict[str, Path] = {}

    def cook(self, version: Version, paths: Mapping[str, Path]) -> Version:
        """Return a version with recipes for those shards of which only some rows changed.

        Compares with these shards as they are in the older version: from this host where it has
        them, else with the marks of their rows, else out of the store, if that is for it.

        Args:
            paths: Where the version's files lie, by their names.

        Raises:
            IntegrityError: A file changed meanwhile.
        """
        changes = list(changed_shards(self._older, version))
        tally = Tally(0, silent)

        def find(change: Change) -> Recipe | None:
            tally.advance(0)
            return self._find(change, paths[change.after], version.files[change.after])

        found = zip(changes, each(find, changes, tally, _WIDTH), strict=True)
        recipes = kept_recipes(self._older, version)
        recipes |= {change.after: recipe for change, recipe in found if recipe is not None}
        return version.model_copy(update={"recipes": recipes})

    def _find(self, change: Change, path: Path, file: File) -> Recipe | None:
        if self._is_in_vain(change.table) or self._store.size(blob_key(file.digest)) == file.size:
            return None
        recipe = self._compare(change, path, file)
        with self._lock:
            lost = -len(self._older.files) if recipe else 1
            self._in_vain[change.table] = self._in_vain.get(change.table, 0) + lost
        return recipe

    def _is_in_vain(self, table: str) -> bool:
        with self._lock:
            return self._in_vain.get(table, 0) >= PATIENCE

    def _compare(self, change: Change, path: Path, file: File) -> Recipe | None:
        before = self._before(change.before)
        if laid(before, self._near) is None:
            if not self._store.reads_back:
                return None
            if (marks := find_marks(self._store, before)) is not None:
                return self._compare_marks(change, path, (before, file), marks)
        with disk_faults(self._scratch), TemporaryFile(dir=self._scratch, buffering=0) as copy:
            try:
                make(self._store, change.before, before, copy, self._near)
            except IntegrityError:  # it is marked, and told when it is read
                return None
            rows = _changed_rows(copy, path, change.width)
            if rows is None or _is_much(rows, before, file):
                return None
            gives = lay_over(copy, [rows], change.after)
        return self._recipe(before, rows, (path, file, gives))

    def _compare_marks(
        self, change: Change, path: Path, made: tuple[Recipe, File], marks: "Marks"
    ) -> Recipe | None:
        """Compare with the marks of a shard that this host does not have."""
        before, file = made
        rows = _differing_rows(marks, path, change.width)
        if rows is None or _is_much(rows, before, file):
            return None
        with disk_faults(path):
            return self._recipe(before, rows, (path, file, digest_file(path)))

    def _recipe(self, before: Recipe, rows: bytes, said: tuple[Path, File, File]) -> Recipe:
        """Make a recipe of rows; what they give has to be what the file was."""
        path, file, gives = said
        if gives != file:
            raise changed(str(path), file, gives.digest)
        step = Step(rows=self._keep(rows), gives=file)
        return Recipe(base=before.base, steps=(*before.steps, step))

    def _before(self, name: str) -> Recipe:
        """Return what is laid over: the older shard, or its base where the steps are enough."""
        recipe = self._older.recipes.get(name, Recipe(base=self._older.files[name]))
        return recipe if len(recipe.steps) < MOST_STEPS else Recipe(base=recipe.base)

    def _keep(self, rows: bytes) -> File:
        file = digest_of([rows])
        path = self._scratch / file.digest
        path.write_bytes(rows)
        with self._lock:
            self.written[file.digest] = path
        return file


def kept_recipes(older: Version, version: Version) -> dict[str, Recipe]:
    """Return the recipes of shards that are as they were, and were made of others then."""
    made = {older.files[name].digest: recipe for name, recipe in older.recipes.items()}
    return {name: made[file.digest] for name, file in version.files.items() if file.digest in made}


def changed_shards(older: Version, version: Version) -> Iterator[Change]:
    """Give the shards that hold the same range of rows as one before, and other bytes."""
    there = {file.digest for file in older.files.values()}
    tables = {table.name: table for table in older.tables}
    for table in version.tables:
        before = tables.get(table.name)
        if before is None or _form(before) != _form(table):
            continue
        shards = {(shard.start, shard.rows): shard.file for shard in before.shards}
        for shard in table.shards:
            name = shards.get((shard.start, shard.rows))
            if name is None or version.files[shard.file].digest in there:
                continue
            if version.files[shard.file].size == older.files[name].size:
                yield Change(table.name, table.row_bytes, name, shard.file)


def _form(table: Table) -> tuple[int, str, str]:
    return table.dim, table.dtype, table.rows_as


def _is_much(rows: bytes, before: Recipe, file: File) -> bool:
    """Say whether rows, with those before, are more than a reader should lay over a shard."""
    size = len(rows) + sum(part.size for part in parts_of(before)[1:])
    return size > file.size * MOST_BYTES


def _differing_rows(marks: "Marks", path: Path, width: int) -> bytes | None:
    from registry.patching.marks import differing  # noqa: PLC0415  numpy takes its time

    with (
        disk_faults(path),
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as after,
    ):
        return differing(marks, after, width)


def _changed_rows(copy: FileIO, path: Path, width: int) -> bytes | None:
    from registry.patching.rows import changed_rows  # noqa: PLC0415  numpy takes its time

    with (
        disk_faults(path),
        path.open("rb") as file,
        mmap.mmap(copy.fileno(), 0, access=mmap.ACCESS_READ) as before,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as after,
    ):
        return changed_rows(before, after, width)
