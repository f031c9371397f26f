"""Lay two versions side by side, reading no more bytes than a page may take."""

from collections.abc import Iterator

from registry.catalog import Catalog
from registry.comparing.compare import compare_records
from registry.graphs.parts import entry_of, parts_of
from registry.manifest import Version
from registry.web.looks import DiffLook
from registry.web.reading import JOB, read_version

#: Bytes that one page reads of the store.
MOST = 256 << 20


def look_at_difference(
    catalog: Catalog, model: str, before: int, after: int, most: int = MOST
) -> DiffLook:
    """Compare two versions: whole where that reads little, else by what their records say."""
    one, other = read_version(catalog, model, before), read_version(catalog, model, after)
    count = sum(_read_of(one, other)) + sum(_read_of(other, one))
    whole = count <= most
    return DiffLook(
        model=model,
        before=before,
        after=after,
        whole=whole,
        bytes=count,
        difference=catalog.diff(one, other) if whole else compare_records(one, other),
    )


def _read_of(one: Version, other: Version) -> Iterator[int]:
    """Give the bytes of one that are read to hold it against the other, at most."""
    there = {
        (table.name, shard.start, shard.rows, other.files[shard.file].digest)
        for table in other.tables
        for shard in table.shards
    }
    for table in one.tables:
        for shard in table.shards:
            file = one.files[shard.file]
            if (table.name, shard.start, shard.rows, file.digest) not in there:
                yield 2 * file.size  # one that lies across two of the other's is read twice
    for name in {JOB, *map(entry_of, parts_of(one).values())} & one.files.keys():
        if one.files[name] != other.files.get(name):
            yield one.files[name].size
