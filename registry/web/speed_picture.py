"""Latencies over versions as pictures, one for each batch size."""

import math

from registry.web.chart import COLOURS, Picture, Scale, Series, draw
from registry.web.looks import SpeedLook, SpeedRow
from registry.web.words import latency


def speed_pictures(look: SpeedLook) -> dict[int, Picture]:
    """Lay out p50 and p95 of each build by version, by batch size."""
    known = [row for row in look.versions if row.builds]
    batches = sorted(
        {speed.batch for row in known for b in row.builds.values() for speed in b.speeds}
    )
    return {batch: _picture(known, batch) for batch in batches}


def _picture(rows: list[SpeedRow], batch: int) -> Picture:
    targets = sorted({target for row in rows for target in row.builds})
    found = {
        (row.version, target): speed
        for row in rows
        for target, timed in row.builds.items()
        for speed in timed.speeds
        if speed.batch == batch
    }
    series = [
        Series(
            name=f"{target}, {style}",
            colour=targets.index(target) % COLOURS,
            style=style,
            figures={
                version: speed.p50 if style == "p50" else speed.p95
                for (version, of), speed in found.items()
                if of == target
            },
        )
        for target in targets
        for style in ("p50", "p95")
    ]
    series = [one for one in series if one.figures]
    lowest = min(math.floor(math.log10(max(speed.p50, 1e-9))) for speed in found.values())
    highest = max(math.ceil(math.log10(max(speed.p95, 1e-9))) for speed in found.values())
    scale = Scale(lowest, max(highest, lowest + 1), latency, _tick)
    return draw(series, [row.version for row in rows], scale)


def _tick(power: float) -> str:
    return f"{power:g} s" if power >= 1 else f"{power * 1000:g} ms"
