"""How much disk and memory a stage will take: as measured before, or else from sizes of files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipeline.cache import Entry

#: Resident bytes of Python with a framework loaded.
_FRAMEWORK = 500 << 20

#: Stages that link what others wrote.
_LINKING = ("assemble",)


@dataclass(frozen=True)
class Forecast:
    """Bytes that a stage will add to the disk, and its peak of resident memory in bytes.

    Attributes:
        seconds: As last measured, if ever.
    """

    disk: int
    memory: int
    seconds: float | None = None

    @property
    def measured(self) -> bool:
        """Say whether these are figures of an earlier run, and no estimate."""
        return self.seconds is not None


#: From the bytes of the source and its samples. Upper bounds: before the split it is not known
#: how much of a model is tables, which later stages map and never load.
ESTIMATES: Mapping[str, Callable[[int], Forecast]] = {
    "reference": lambda source: Forecast(16 << 20, _FRAMEWORK + source),
    "tables": lambda source: Forecast(source, 256 << 20),
    "convert": lambda source: Forecast(source, _FRAMEWORK + 3 * source),
    "validate": lambda source: Forecast(1 << 20, _FRAMEWORK + 2 * source),
    "assemble": lambda source: Forecast(1 << 20, 256 << 20),  # noqa: ARG005  whatever its size
    "push": lambda source: Forecast(2 * source, 256 << 20),
}


def forecast(stage: str, source: int, before: Entry | None) -> Forecast:
    """Return what an earlier run of the same task took, or an estimate."""
    estimate = ESTIMATES.get(stage, _any_stage)(source)
    if before is None:
        return estimate
    written = estimate.disk if stage in _LINKING else sum(before.files.values())
    return Forecast(written, before.usage.peak, before.usage.seconds)


def _any_stage(source: int) -> Forecast:
    return Forecast(source, _FRAMEWORK + source)
