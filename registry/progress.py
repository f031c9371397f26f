"""How long work says how far it is."""

from typing import Protocol


class Progress(Protocol):
    """Called with what is done of what there is to do."""

    def __call__(self, done: float, total: float, unit: str) -> None:
        """Report; `unit` is 'bytes', 'rows', 'cases' or the like. Cheap: call it often."""


def silent(done: float, total: float, unit: str) -> None:
    """Say nothing."""
