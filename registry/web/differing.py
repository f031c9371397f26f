"""Lay two versions side by side, reading no more bytes than a page may take."""

from collections.abc import Iterator

from registry.catalog import Catalog
from registry.comparing.difference import Difference
from registry.comparing.facts import (
    changed_facts,
    changed_files,
    changed_parity,
    changed_speeds,
    moved_bytes,
)
from registry.graphs.parts import entry_of, parts_of
from registry.manifest import Version
from registry.reference import Reference
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
        difference=catalog.diff(one, other) if whole else _from_records(one, other),
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


def _from_records(one: Version, other: Version) -> Difference:
    return Difference(
        before=str(Reference(one.model, one.number)),
        after=str(Reference(other.model, other.number)),
        same=one.fingerprint == other.fingerprint,
        moved=moved_bytes(one, other),
        facts=changed_facts(one, other),
        files=changed_files(one, other),
        tables=(),
        graphs=(),
        parity=changed_parity(one, other),
        speeds=changed_speeds(one, other),
        job=(),
    )
