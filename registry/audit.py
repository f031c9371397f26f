"""All that a store holds against what was published: versions, their marks, every blob once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from registry.catalog import Catalog
from registry.damaged_marks import damaged_marks
from registry.errors import IntegrityError, StoreError
from registry.manifest import Version
from registry.patching.read_all import BlobFault, read_all
from registry.progress import Progress, silent
from registry.reference import Reference
from registry.side_by_side import ahead
from registry.store.store import Store


@dataclass(frozen=True)
class Fault:
    """One thing that is not as it was published.

    Attributes:
        uses: What reads it: `MODEL@7: path/in/the/version`, or `MODEL@7` or `MODEL@channel`
            where that itself is damaged.
        spares_model: Only reports and job files read it: every model answers as before.
    """

    uses: tuple[str, ...]
    text: str
    spares_model: bool


@dataclass(frozen=True)
class Audit:
    """What was looked at, and what is wrong with it."""

    models: int
    versions: int
    blobs: int
    bytes: int
    faults: tuple[Fault, ...]


def audit_store(catalog: Catalog, progress: Progress = silent) -> Audit:
    """Read all versions of a store, blobs, moves and tags; a fault hides no other."""
    models = catalog.models()
    names = [(model, number) for model in models for number in catalog.versions(model)]
    read = partial(_read, catalog)
    found = [one for one in ahead(read, names, width=8) if one is not None]
    versions = [one for one in found if isinstance(one, Version)]
    damaged = [one for one in found if isinstance(one, Fault)]
    marks = (mark for model in models for mark in damaged_marks(catalog.store, model))
    damaged += [Fault((use,), text, spares_model=False) for use, text in marks]
    audit = audit_versions(catalog.store, versions, progress)
    faults = (*damaged, *audit.faults)
    return Audit(len(models), len(found), audit.blobs, audit.bytes, faults)


def audit_versions(store: Store, versions: Iterable[Version], progress: Progress = silent) -> Audit:
    """Read all blobs of some versions; one that several share is read once."""
    seen = tuple(versions)
    reading = read_all(store, seen, progress)
    models = {one.model for one in seen}
    faults = tuple(map(_fault, reading.faults))
    return Audit(len(models), len(seen), reading.blobs, reading.bytes, faults)


def _read(catalog: Catalog, name: tuple[str, int]) -> Version | Fault | None:
    """Read a version, say what is wrong with it, or find that somebody has just removed it."""
    try:
        return catalog.version(*name)
    except IntegrityError as error:
        return Fault((str(Reference(*name)),), str(error), spares_model=False)
    except StoreError:
        if name[1] in catalog.versions(name[0]):
            raise
        return None


def _fault(found: BlobFault) -> Fault:
    return Fault(
        tuple(f"{version.model}@{version.number}: {name}" for version, name in found.uses),
        found.text,
        spares_model=all(_is_beside(version, name) for version, name in found.uses),
    )


def _is_beside(version: Version, name: str) -> bool:
    """Say whether a file is there for people alone: no answer comes from it."""
    in_report = version.report is not None and name.startswith(f"{version.report}/")
    return in_report or name == version.lineage.job
