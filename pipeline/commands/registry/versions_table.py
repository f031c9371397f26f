"""The versions of a model, as a table or as JSON."""

from pydantic import JsonValue

from pipeline.commands.version_text import figures, moment, plain, total
from pipeline.showing import console
from pipeline.showing.progress import size
from registry.catalog import Catalog
from registry.manifest import Version


def list_versions(catalog: Catalog, model: str, *, as_json: bool) -> None:
    """Print the versions of a model; damaged ones are marked and hide no other."""
    found = _read(catalog, model)
    if not found:
        catalog.resolve(model)  # says what is missing
    channels = catalog.pointers(model)
    tags = {tag.name: tag.version for tag in catalog.tags(model)}
    if as_json:
        rows: list[JsonValue] = [
            figures(read)
            if isinstance(read, Version)
            else {"model": model, "version": number, "damaged": read}
            for number, read in found.items()
        ]
        console.emit({"model": model, "channels": {**channels}, "tags": {**tags}, "versions": rows})
        return
    lines = [
        (str(number), *_facts(read), _names(number, channels, tags))
        for number, read in found.items()
    ]
    console.show_table(("version", "created", "size", "targets", "names"), lines)
    for read in found.values():
        if isinstance(read, str):
            console.note(plain(read))


def _read(catalog: Catalog, model: str) -> dict[int, Version | str]:
    """Read all versions, or say why one cannot be believed: one that is damaged hides no other."""
    faults: list[str] = []
    read = catalog.every_trusted(model, lambda damage: faults.append(str(damage)))
    found: dict[int, Version | str] = {version.number: version for version in read}
    if faults:
        damaged = (number for number in catalog.versions(model) if number not in found)
        found |= zip(damaged, faults, strict=False)
    return dict(sorted(found.items()))


def _facts(read: Version | str) -> tuple[str, str, str]:
    if isinstance(read, str):
        return "damaged", "", ""
    targets = ", ".join(build.target for build in read.builds)
    return moment(read.created), size(total(read)), targets


def _names(number: int, channels: dict[str, int], tags: dict[str, int]) -> str:
    both = [*channels.items(), *tags.items()]
    return ", ".join(name for name, at in both if at == number)
