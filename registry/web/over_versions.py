"""Read from a catalog what pictures over versions show."""

from functools import partial

from registry.catalog import Catalog
from registry.errors import PlatformError
from registry.side_by_side import ahead
from registry.web.looks import ParityLook, SpeedLook, SpeedRow
from registry.web.reading import WIDTH, version_row
from registry.web.refusals import NotThereError

#: Versions that are laid side by side.
COMPARED = 100


def look_at_parity(catalog: Catalog, model: str) -> ParityLook:
    """Read the errors of the newest versions, the oldest of them first."""
    numbers = _numbers(catalog, model)
    rows = tuple(ahead(partial(version_row, catalog, model), numbers[-COMPARED:], width=WIDTH))
    return ParityLook(model=model, total=len(numbers), versions=rows)


def look_at_speed(catalog: Catalog, model: str) -> SpeedLook:
    """Read how fast the newest versions answered, the oldest of them first."""
    numbers = _numbers(catalog, model)
    rows = tuple(ahead(partial(_speed_row, catalog, model), numbers[-COMPARED:], width=WIDTH))
    return SpeedLook(model=model, total=len(numbers), versions=rows)


def _speed_row(catalog: Catalog, model: str, number: int) -> SpeedRow:
    try:
        builds = catalog.version(model, number).builds
    except PlatformError as error:
        return SpeedRow(model=model, version=number, fault=str(error))
    timed = {build.target: build.benchmark for build in builds if build.benchmark}
    return SpeedRow(model=model, version=number, builds=timed)


def _numbers(catalog: Catalog, model: str) -> tuple[int, ...]:
    numbers = catalog.versions(model)
    if not numbers:
        raise NotThereError(f"{model} has no version that is in use in {catalog.store.url}")
    return numbers
