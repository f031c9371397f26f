"""Show how far the first reading of big sources is."""

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.record import StageRecord
from pipeline.showing.watch import Watch
from registry.progress import Progress

_NAME, _WHY = "reading sources", "to tell later whether they changed"

#: Bytes from which on it takes long enough to say anything.
_WORTH_A_LINE = 256 << 20


@contextmanager
def reading_sources(watch: Watch) -> Iterator[Progress]:
    """Give what takes the progress of reading: it gets a line as a stage does, if it is much."""
    line: Progress | None = None

    def progress(done: float, total: float, unit: str) -> None:
        nonlocal line
        if line is None and total >= _WORTH_A_LINE:
            line = watch.started(_NAME, _WHY)
        if line is not None:
            line(done, total, unit)

    yield progress
    if line is not None:
        watch.ended(
            StageRecord(name=_NAME, stage=_NAME, needs=(), outcome="done", why=_WHY, options={})
        )
