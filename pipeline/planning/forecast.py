"""How much disk and memory a stage will take: as measured before, or else from sizes of files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipeline.caching.cache import Entry

#: Resident bytes of Python with a framework loaded.
_FRAMEWORK = 500 << 20

#: Stages that link what others wrote.
_LINKING = ("assemble",)


@dataclass(frozen=True)
class Sizes:
    """Bytes of a model.

    Attributes:
        source: Of its files and its samples.
        dense: Of the dense part: later stages load that, and map the tables. As much as the
            source until the split is done.
        tables: Of the tables that were cut out; None until the split is done.
    """

    source: int
    dense: int
    tables: int | None = None


@dataclass(frozen=True)
class Forecast:
    """Bytes that a stage will add to the disk, and its peak of memory of its own in bytes.

    Attributes:
        seconds: As last measured, if ever.
        least: What it will surely add to the disk.
    """

    disk: int
    memory: int
    seconds: float | None = None
    least: int = 0

    @property
    def measured(self) -> bool:
        """Say whether these are figures of an earlier run, and no estimate."""
        return self.seconds is not None


def _tables(model: Sizes) -> Forecast:
    """All rows are written, also those that a sparse file of the source holds as a hole."""
    if model.tables is None:
        return Forecast(model.source, 256 << 20)
    return Forecast(model.tables, 256 << 20, least=model.tables)


def _push(model: Sizes) -> Forecast:
    """A store copies what it does not hold; weights may have a quarter of their size by then."""
    if model.tables is None:
        return Forecast(model.source + model.dense, 256 << 20, least=model.source // 4)
    least = model.tables + model.dense // 4
    return Forecast(model.tables + 2 * model.dense, 256 << 20, least=least)


#: From sizes of files: what a stage will surely not exceed.
ESTIMATES: Mapping[str, Callable[[Sizes], Forecast]] = {
    "cut": lambda model: Forecast(model.dense, _FRAMEWORK + 2 * model.dense),
    "reference": lambda model: Forecast(16 << 20, _FRAMEWORK + model.source),
    "tables": _tables,
    "calibrate": lambda model: Forecast(16 << 20, _FRAMEWORK + 2 * model.dense),
    "convert": lambda model: Forecast(model.dense, _FRAMEWORK + 3 * model.dense),
    "validate": lambda model: Forecast(1 << 20, _FRAMEWORK + 2 * model.dense),
    "assemble": lambda model: Forecast(1 << 20, 256 << 20),  # noqa: ARG005  it makes links
    "push": _push,
}


def forecast(stage: str, model: Sizes, before: Entry | None) -> Forecast:
    """Return what an earlier run of the same task took, or an estimate."""
    estimate = ESTIMATES.get(stage, _any_stage)(model)
    if before is None:
        return estimate
    known = stage in _LINKING or estimate.least > 0
    written = estimate.disk if known else before.bytes
    return Forecast(written, before.usage.peak, before.usage.seconds, written)


def _any_stage(model: Sizes) -> Forecast:
    return Forecast(model.source, _FRAMEWORK + model.source)
