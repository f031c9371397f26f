"""Errors over versions, laid out as a picture."""

import math

from registry.web.chart import HEIGHT, WIDTH
from registry.web.looks import ParityLook, VersionRow
from registry.web.parity_picture import parity_picture


def look(*errors):
    rows = [
        VersionRow(model="ads", version=number, errors={"cpu": {"precision": error}, "old": {}})
        for number, error in enumerate(errors, 1)
    ]
    return ParityLook(model="ads", total=len(rows), versions=tuple(rows))


def test_larger_errors_lie_higher_and_all_in_the_picture():
    picture = parity_picture(look(0.0, 1e-30, 1e-3, 1.0, 5.0, 1e9, math.inf))
    (line,) = picture.lines
    heights = [point.y for point in line.points]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 5  # what is off the scale lies at its ends
    assert heights[3] == picture.limit
    assert all(0 <= point.x <= WIDTH and 0 <= point.y <= HEIGHT for point in line.points)


def test_a_version_that_cannot_be_read_has_no_point():
    rows = (*look(0.5).versions, VersionRow(model="ads", version=2, fault="damaged"))
    picture = parity_picture(ParityLook(model="ads", total=2, versions=rows))
    assert [len(line.points) for line in picture.lines] == [1]


def test_many_versions_have_few_labels():
    picture = parity_picture(look(*[0.1] * 100))
    assert len(picture.lines[0].points) == 100
    assert 5 < len(picture.across) <= 12


def test_a_target_keeps_its_colour_whatever_the_kind():
    row = VersionRow(
        model="ads",
        version=1,
        errors={"a": {"conversion": 0.1, "precision": 0.2}, "b": {"conversion": 0.3}},
    )
    lines = parity_picture(ParityLook(model="ads", total=1, versions=(row,))).lines
    assert [(line.colour, line.style) for line in lines] == [
        (0, "conversion"),
        (0, "precision"),
        (1, "conversion"),
    ]
