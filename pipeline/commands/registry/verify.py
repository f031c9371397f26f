"""`pipeline registry verify`: are the bytes in the store those that were published?"""

from typing import Annotated

import typer
from pydantic import JsonValue

from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.commands.version_text import figures, plain, total
from pipeline.showing import console
from pipeline.showing.progress import counted, size
from registry.audit import Audit, Fault, audit_store, audit_versions
from registry.errors import IntegrityError, StoreError
from registry.manifest import Version

#: Uses that are named of a blob that many versions share.
_NAMED = 3


def verify(
    reference: Annotated[
        str | None,
        typer.Argument(metavar="[REF]", help="MODEL, MODEL@7 or MODEL@CHANNEL; else the store."),
    ] = None,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Read all bytes of a version, or of all versions, and compare their digests.

    It goes on after a fault and names them all. Where only a report or a job file is damaged, it
    says so: the model answers as before.
    """
    catalog = open_catalog(store, endpoint)
    if reference is None and not catalog.store.is_there():
        raise StoreError(f"{catalog.store.url}: there is no such folder. Name another with --store")
    version = None if reference is None else catalog.resolve(reference)
    with console.progress_line("verify") as progress:
        found = (
            audit_versions(catalog.store, [version], progress)
            if version
            else audit_store(catalog, progress)
        )
    what = f"{version.model}@{version.number}" if version else catalog.store.url
    if as_json:
        about: dict[str, JsonValue] = {"store": catalog.store.url}
        about |= figures(version) if version else {}
        console.emit(about | _record(found))
    elif not found.faults:
        console.say(f"{what}: {_summary(found, version)}, all as published")
    if found.faults:
        raise IntegrityError("\n".join([*map(_say, found.faults), _sum_up(what, found)]))


def _record(found: Audit) -> dict[str, JsonValue]:
    return {
        "models": found.models,
        "versions": found.versions,
        "blobs": found.blobs,
        "read": found.bytes,
        "intact": not found.faults,
        "faults": [
            {"uses": list(fault.uses), "fault": fault.text, "spares_model": fault.spares_model}
            for fault in found.faults
        ],
    }


def _summary(found: Audit, version: Version | None) -> str:
    if version is not None:
        return f"{counted(len(version.files), 'file')}, {size(total(version))}"
    versions = f"{counted(found.versions, 'version')} of {counted(found.models, 'model')}"
    return f"{versions}, {counted(found.blobs, 'blob')}, {size(found.bytes)}"


def _say(fault: Fault) -> str:
    more = len(fault.uses) - _NAMED
    uses = [*fault.uses[:_NAMED], *([f"{more} more"] if more > 0 else [])]
    spared = " The files that the model answers from are whole." if fault.spares_model else ""
    return plain(f"{', '.join(uses)}: {fault.text}.{spared}")


def _sum_up(what: str, found: Audit) -> str:
    serious = sum(not fault.spares_model for fault in found.faults)
    said = f"{counted(len(found.faults), 'fault')}, {serious} of them in what models answer from"
    return f"{what}: {said}"
