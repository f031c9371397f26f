"""What a check of a store came to."""

from collections.abc import Callable
from dataclasses import dataclass

from registry.store.store import Store


@dataclass(frozen=True)
class Outcome:
    """What was seen.

    Attributes:
        passed: None where it could not be tried.
    """

    passed: bool | None
    seen: str


@dataclass(frozen=True)
class Check:
    """Something that a store must do: one row of CHECKS.

    Attributes:
        run: Tries it below a prefix that nobody else uses.
        otherwise: What follows where the store does not do it.
        needed: Without it, versions are not safe there.
    """

    name: str
    run: Callable[[Store, str], Outcome]
    otherwise: str
    needed: bool = True


@dataclass(frozen=True)
class Finding:
    """A check and its outcome."""

    check: Check
    outcome: Outcome

    @property
    def is_fault(self) -> bool:
        """Say whether versions are not safe in this store."""
        return self.check.needed and self.outcome.passed is False
