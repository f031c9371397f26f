"""Lay two versions side by side."""

import difflib
from collections import Counter
from collections.abc import Iterator

from registry.blob_file import blob_file
from registry.comparing.difference import Difference, GraphChange
from registry.comparing.facts import (
    changed_facts,
    changed_files,
    changed_parity,
    changed_speeds,
    moved_bytes,
)
from registry.comparing.operators import count_operators
from registry.composition import Artifact
from registry.graphs.parts import entry_of, parts_of
from registry.manifest import Version
from registry.reference import Reference
from registry.store.store import Store

#: The job file, in a version's folder.
JOB = "job.yaml"

#: Bytes of a job file that are compared.
_LONGEST_JOB = 1 << 20


def compare(store: Store, one: Version, other: Version) -> Difference:
    """Say what two versions differ in; reads no more of them than differs.

    Raises:
        IntegrityError: A blob is not what was published.
    """
    from registry.comparing.rows import changed_tables  # noqa: PLC0415  numpy takes its time

    read = {
        "tables": changed_tables(store, one, other),
        "graphs": tuple(_graphs(store, one, other)),
        "job": _job(store, one, other),
    }
    return compare_records(one, other).model_copy(update=read)


def compare_records(one: Version, other: Version) -> Difference:
    """Say what two versions differ in as far as their records tell; reads nothing."""
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


def _graphs(store: Store, one: Version, other: Version) -> Iterator[GraphChange]:
    """Compare the parts that both have."""
    before, after = parts_of(one), parts_of(other)
    for part in (part for part in before if part in after):
        left, right = entry_of(before[part]), entry_of(after[part])
        same = one.files.get(left) == other.files.get(right)
        operators: dict[str, tuple[int, int]] = {}
        if not same:
            mine = _count(store, one, before[part])
            theirs = _count(store, other, after[part])
            operators = {
                name: (mine[name], theirs[name])
                for name in sorted({*mine, *theirs})
                if mine[name] != theirs[name]
            }
        yield GraphChange(part=part, same=same, operators=operators)


def _count(store: Store, version: Version, part: Artifact) -> Counter[str]:
    with blob_file(store, version, entry_of(part)) as data:
        return count_operators(data, part.format) or Counter()


def _job(store: Store, one: Version, other: Version) -> tuple[str, ...]:
    before, after = (_text(store, version, JOB) for version in (one, other))
    lines = difflib.unified_diff(before, after, lineterm="", n=2)
    return tuple(lines)[2:]


def _text(store: Store, version: Version, name: str) -> list[str]:
    file = version.files.get(name)
    if file is None or file.size > _LONGEST_JOB:
        return []
    with blob_file(store, version, name) as data:
        return bytes(data).decode(errors="replace").splitlines()
