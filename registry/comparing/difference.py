"""What two versions differ in, as a record."""

from registry.signature import Frozen


class Change(Frozen):
    """Something that is said of a version; None where only the other says it."""

    what: str
    before: str | None
    after: str | None


class FileChange(Frozen):
    """A file of other bytes, by its size; None where there is none."""

    name: str
    before: int | None
    after: int | None


class TableChange(Frozen):
    """How many rows of a table differ.

    Attributes:
        before: Rows; None where there is no such table.
        changed: Of the rows that both have; None where rows cannot be compared one by one.
        bytes: Of the shards that the other version does not have.
    """

    table: str
    before: int | None
    after: int | None
    changed: int | None
    bytes: int


class GraphChange(Frozen):
    """How often operators stand in a part, where that differs.

    Attributes:
        operators: Before and after, by name; empty where the graph is the same or another
            one of the same operators.
        same: The very same file.
    """

    part: str
    same: bool
    operators: dict[str, tuple[int, int]]


class ParityChange(Frozen):
    """The largest error of a target, as part of what it may be."""

    target: str
    kind: str
    before: float | None
    after: float | None


class SpeedChange(Frozen):
    """Seconds from a request to its answer, of a build at a batch size; None where not timed."""

    target: str
    batch: int
    p50: tuple[float | None, float | None]
    p95: tuple[float | None, float | None]


class Difference(Frozen):
    """What two versions differ in.

    Attributes:
        moved: Bytes that who has the first version has to fetch for the second.
        speeds: Of all builds that were timed anew; facts say on which hosts, if these differ.
        job: A unified diff of the two job files, by line.
    """

    before: str
    after: str
    same: bool
    moved: int
    facts: tuple[Change, ...]
    files: tuple[FileChange, ...]
    tables: tuple[TableChange, ...]
    graphs: tuple[GraphChange, ...]
    parity: tuple[ParityChange, ...]
    speeds: tuple[SpeedChange, ...]
    job: tuple[str, ...]
