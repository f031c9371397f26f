"""Errors over versions as a picture."""

from registry.web.chart import COLOURS, Picture, Scale, Series, draw
from registry.web.looks import ParityLook
from registry.web.words import error_text

#: 1 is what an error may be.
_SCALE = Scale(-9, 3, error_text, lambda power: f"{power:g}", limit=1.0)


def parity_picture(look: ParityLook) -> Picture:
    """Lay out the largest errors of each target, conversion and precision, by version."""
    known = [row for row in look.versions if row.fault is None]
    names = sorted(
        {(t, kind) for row in known for t, kinds in row.errors.items() for kind in kinds}
    )
    targets = sorted({target for target, _ in names})
    series = [
        Series(
            name=f"{target}, {kind}",
            colour=targets.index(target) % COLOURS,
            style=kind,
            figures={
                row.version: row.errors[target][kind]
                for row in known
                if kind in row.errors.get(target, {})
            },
        )
        for target, kind in names
    ]
    return draw(series, [row.version for row in known], _SCALE)
