"""Read a file of a version: as the store keeps it, or made of a shard and rows laid over it."""

import mmap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO, FileIO
from pathlib import Path
from types import MappingProxyType

from registry.digest import Advance, chunks_of, digest_of, ignore
from registry.errors import IntegrityError
from registry.layout import blob_key
from registry.manifest import File, Recipe, Version
from registry.partial_file import write_all
from registry.patching.needed import laid
from registry.read_blob import empty, read_blob
from registry.store.store import Store

#: Files of this host by digest, which may have been changed since.
Near = Mapping[str, Path]

NOTHING_NEAR: Near = MappingProxyType({})


@dataclass(frozen=True)
class Reader:
    """Reads files of a version.

    Attributes:
        near: What this host has: a shard is made of it where that leads there.
    """

    store: Store
    version: Version
    near: Near = field(default_factory=dict)

    def read(self, name: str, copy: FileIO, advance: Advance = ignore) -> None:
        """Write a file into one that is empty, and can be read.

        What a shard is made of may be lost, and the whole of it have been brought back since.

        Raises:
            IntegrityError: It is not what was published.
        """
        file, recipe = self.version.files[name], self.version.recipes.get(name)
        if recipe is None:
            read_blob(self.store, (name, file), copy, advance)
            return
        try:
            make(self.store, name, recipe, copy, self.near)
        except IntegrityError:
            if self.store.size(blob_key(file.digest)) != file.size:
                raise
            empty(copy)
            read_blob(self.store, (name, file), copy, ignore)
        advance(file.size)


def make(store: Store, name: str, recipe: Recipe, copy: FileIO, near: Near = NOTHING_NEAR) -> None:
    """Make a shard as its recipe says, from the latest stage of it that this host has.

    Raises:
        IntegrityError: What it is made of is not what was published.
    """
    done = laid(recipe, near)
    if done is not None and _take(near[stage(recipe, done).digest], copy):
        with suppress(IntegrityError):  # it was changed on this host
            _lay_and_check(store, name, recipe, done, copy)
            return
    empty(copy)
    read_blob(store, (name, recipe.base), copy, ignore)
    if recipe.steps:
        _lay_and_check(store, name, recipe, 0, copy)


def stage(recipe: Recipe, done: int) -> File:
    """Return what a shard is after so many steps."""
    return recipe.steps[done - 1].gives if done else recipe.base


def lay_over(copy: FileIO, patches: Sequence[bytes], name: str) -> File:
    """Lay rows over a shard, and return what comes out.

    Raises:
        IntegrityError: They are no rows of this shard.
    """
    from registry.patching.rows import lay  # noqa: PLC0415  numpy takes its time

    with mmap.mmap(copy.fileno(), 0) as shard:
        for patch in patches:
            lay(patch, shard, name)
    copy.seek(0)
    return digest_of(chunks_of(copy))


def _lay_and_check(store: Store, name: str, recipe: Recipe, done: int, copy: FileIO) -> None:
    """Go on from where so many steps are done, which may be all: what comes out is digested."""
    patches = []
    for step in recipe.steps[done:]:
        with BytesIO() as patch:
            read_blob(store, (name, step.rows), patch, ignore)
            patches.append(patch.getvalue())
    found, wanted = lay_over(copy, patches, name), stage(recipe, len(recipe.steps))
    if found != wanted:
        raise IntegrityError(
            f"{name}: laid together it has SHA-256 {found.digest} in place of "
            f"{wanted.digest}: its version was not written by this program. Publish the "
            "model again, and look at who may write to the store"
        )


def _take(path: Path, copy: FileIO) -> bool:
    """Copy a file of this host, if it is still there."""
    try:
        with path.open("rb", buffering=0) as file:
            for chunk in chunks_of(file):
                write_all(copy, chunk)
    except OSError:
        return False
    return copy.tell() > 0
