"""Publish the version and move its channel."""

from registry.signature import Frozen


class Options(Frozen):
    """The job's `push`, as it is, and who pushes.

    Reads the folders `assemble` and, if there is one, `report` (index.html, report.json).
    `${NAME}` is put in here, when it is used, and so stays out of what a run keeps.
    """

    store: str
    endpoint: str | None
    channel: str | None
    who: str
