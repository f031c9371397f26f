"""Samples that are not what the job says, and which of its keys says otherwise."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from registry.errors import SourceError


@dataclass(frozen=True)
class Misfit:
    """One thing that does not fit.

    Attributes:
        about: The keys that lead to what the job says of it, an input by its name:
            `("inputs", "user", "ids")`.
    """

    about: tuple[str, ...]
    text: str


class MisfitError(SourceError):
    """Samples are not what one key says: of the input that is read, or of the job as a whole.

    Attributes:
        keys: Leads to it; from the job's own keys on where the first of them is `samples`.
    """

    def __init__(self, text: str, *keys: str) -> None:
        self.keys = keys
        super().__init__(text)


class MisfitsError(SourceError):
    """All that does not fit."""

    def __init__(self, misfits: tuple[Misfit, ...]) -> None:
        self.misfits = misfits
        super().__init__("\n".join(misfit.text for misfit in misfits))


class Misfits:
    """Collects what does not fit, so that all of it is told at once."""

    def __init__(self) -> None:
        self._found: list[Misfit] = []

    @contextmanager
    def of(self, *about: str) -> Iterator[None]:
        """Take note of an error in what is read of a part of the job, and go on after it."""
        try:
            yield
        except SourceError as error:
            keys = error.keys if isinstance(error, MisfitError) else ()
            whole = keys if keys[:1] == ("samples",) else (*about, *keys)
            self._found.append(Misfit(whole, str(error)))

    def tell(self) -> None:
        """Raise what was noted, if anything was."""
        if self._found:
            raise MisfitsError(tuple(self._found))
