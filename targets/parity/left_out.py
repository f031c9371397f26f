"""Generated cases that a job leaves out, by name and with a reason."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from registry.errors import SourceError
from registry.signature import Frozen
from targets.parity.reason import reason


class LeftOut(Frozen):
    """What a job says of them.

    Attributes:
        cases: Names, or patterns of them: `values: *`.
        because: Why nothing can be said of these.
    """

    cases: tuple[str, ...] = Field(min_length=1)
    because: Annotated[
        str, reason("why these cannot be compared, such as `silence has no range to divide by`")
    ]

    def has(self, name: str) -> bool:
        """Tell whether a case of this name is left out."""
        return any(fnmatchcase(name, pattern) for pattern in self.cases)


def is_left_out(name: str, left_out: Sequence[LeftOut]) -> bool:
    """Tell whether a case is, by its name."""
    return any(one.has(name) for one in left_out)


def told(names: Sequence[str], left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Say which cases are left out, and why.

    Raises:
        SourceError: There is no case of that name, or none would be left.
    """
    for number, one in enumerate(left_out):
        for at, pattern in enumerate(one.cases):
            if not any(fnmatchcase(name, pattern) for name in names):
                raise SourceError(
                    f"parity.leave_out[{number}].cases[{at}]: no case is called {pattern!r}; there "
                    f"are: {'; '.join(names)}"
                )
    if left_out and all(is_left_out(name, left_out) for name in names):
        raise SourceError(
            "parity.leave_out: all generated cases are left out. Leave one in: the model's answers "
            "to inputs that nobody recorded are what shows a faulty conversion"
        )
    gone = ("; ".join(name for name in names if one.has(name)) for one in left_out)
    pairs = zip(gone, left_out, strict=True)
    return tuple(f"left out of the comparison: {some}: {one.because}" for some, one in pairs)
