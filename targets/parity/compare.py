"""Hold a target's answers against the original's."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from registry.errors import ParityError
from registry.manifest import Numbers, Parity
from targets.parity.cases import Case
from targets.parity.tally import Limit, Tally
from targets.target import Arrays

#: So many faults, and so many cases for each, are spelt out.
SPELT_OUT = 20
NAMED = 4


@dataclass(frozen=True)
class Findings:
    """What a comparison found.

    Attributes:
        faults: What numbers cannot say, a sentence each; one is enough to fail.
        cases: Cases that both sides answered.
        refused_alike: Cases that both sides refused.
    """

    outputs: tuple[Numbers, ...]
    faults: tuple[str, ...]
    cases: int
    refused_alike: int

    @property
    def passed(self) -> bool:
        """Whether every output is within its limit and there is no fault."""
        within = all(numbers.passed for numbers in self.outputs)
        return bool(self.outputs) and within and not self.faults

    def parity(
        self,
        kind: Literal["conversion", "precision"],
        in_force: dict[str, str],
        metrics: dict[str, tuple[float, float]],
    ) -> Parity | None:
        """Return the record for the manifest, or None where there are no numbers."""
        if not self.outputs:
            return None
        return Parity(
            kind=kind,
            in_force=in_force,
            outputs=self.outputs,
            metrics=metrics,
            cases=self.cases,
            refused_alike=self.refused_alike,
            passed=self.passed,
        )


def answered(case: Case, answer: Callable[[Arrays], Arrays], refusal: type[Exception]) -> Case:
    """Ask for the answer to a case's inputs; an error of the given kind is a refusal."""
    try:
        return replace(case, outputs=answer(case.inputs), refused=None)
    except refusal as error:
        return replace(case, outputs=None, refused=str(error) or type(error).__name__)


class Comparison:
    """Compare case after case; nothing of a case is kept.

    What one side refuses the other has to refuse. A target may be stricter in one thing alone:
    it may refuse an id that the job says does not come, where the original happens to answer.

    Args:
        limit: How far an output may be off, by its name.
    """

    def __init__(self, limit: Callable[[str], Limit]) -> None:
        self._limit = limit
        self._tallies: dict[str, Tally] = {}
        self._faults: dict[str, list[str]] = {}
        self._cases = 0
        self._refused = 0

    def add(self, case: Case, answer: Case) -> None:
        """Compare the original's answer (or refusal) with the target's."""
        if case.outputs is None or answer.outputs is None:
            self._add_refusal(case, answer)
            return
        self._cases += 1
        for name in sorted(case.outputs.keys() ^ answer.outputs.keys()):
            who = "the original" if name in answer.outputs else "the target"
            self._fault(f"output '{name}': {who} does not have it", case)
        for name in sorted(case.outputs.keys() & answer.outputs.keys()):
            reference, given = case.outputs[name], answer.outputs[name]
            if (given.dtype, given.shape) == (reference.dtype, reference.shape):
                exact = reference.dtype.kind in "iub"
                tally = self._tallies.setdefault(name, Tally(name, self._limit(name), exact=exact))
                tally.add(case.name, reference, given)
            else:
                self._fault(
                    f"output '{name}': {reference.dtype}{list(reference.shape)} in the original "
                    f"is {given.dtype}{list(given.shape)} in the target",
                    case,
                )

    def conclude(self) -> Findings:
        """Sum up.

        Raises:
            ParityError: Nothing was compared, so nothing can have passed.
        """
        empty = [name for name, tally in self._tallies.items() if not tally.compared]
        if empty and not self._faults:
            raise ParityError(
                f"output '{min(empty)}': not one element was compared in {self._cases} cases. "
                "Give `samples`, or axes and batches that are not empty"
            )
        if not self._tallies and not self._faults:
            raise ParityError(
                f"nothing was compared: the original answered none of {self._refused} cases. "
                "Check the inputs' `ids`, `range` and `axes`, or give recorded `samples`"
            )
        tallies = (self._tallies[name] for name in sorted(self._tallies.keys() - set(empty)))
        numbers = tuple(tally.numbers() for tally in tallies)
        return Findings(numbers, self._spelt_out(), self._cases, self._refused)

    def _add_refusal(self, case: Case, answer: Case) -> None:
        if case.refused is not None and answer.refused is not None:
            self._refused += 1
        elif case.refused is not None:
            self._fault(f"the original refuses ({case.refused}), the target answers", case)
        elif not case.outside:
            self._fault(f"the target refuses ({answer.refused}), the original answers", case)

    def _fault(self, fault: str, case: Case) -> None:
        self._faults.setdefault(fault, []).append(case.name)

    def _spelt_out(self) -> tuple[str, ...]:
        faults = [
            f"{fault}; in case {', '.join(map(repr, names[:NAMED]))}"
            + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
            for fault, names in self._faults.items()
        ]
        more = len(faults) - SPELT_OUT
        return (*faults[:SPELT_OUT], *([f"and {more} more faults"] if more > 0 else []))
