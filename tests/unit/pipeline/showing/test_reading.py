"""The line of the first reading."""

from pipeline.showing.reading import reading_sources
from pipeline.showing.watch import Unwatched


class Noted(Unwatched):
    def __init__(self):
        self.said = []

    def started(self, name, why):
        self.said.append(f"{name} started")
        return lambda done, total, unit: self.said.append((done, total, unit))

    def ended(self, stage):
        self.said.append(f"{stage.name} {stage.outcome}")


def test_much_to_read_gets_a_line_as_a_stage_does():
    watch, size = Noted(), 1 << 30
    with reading_sources(watch) as reading:
        reading(1, size, "bytes")
        reading(size, size, "bytes")
    assert watch.said == [
        "reading sources started",
        (1, size, "bytes"),
        (size, size, "bytes"),
        "reading sources done",
    ]


def test_little_to_read_says_nothing():
    watch = Noted()
    with reading_sources(watch) as reading:
        reading(1, 1 << 20, "bytes")
    assert watch.said == []
