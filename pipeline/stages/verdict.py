"""What a validation found, and the error that stops a run when it does not hold."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from pipeline.stages.bisection import Reading
from registry.errors import ParityError
from registry.manifest import Benchmark, Contract, Numbers, Parity
from registry.signature import Frozen, Precision


class Demand(Frozen):
    """What a part of a build was validated with, and what it demands of its host."""

    part: str
    target: str
    runtime: str
    precision: Precision
    contract: Contract


class PartReading(Frozen):
    """How far a converted part by itself is off the part as it was, where that is worst.

    `worst.worst` is the error over the job's tolerance, scaled to the spread of the value.
    """

    part: str
    worst: Reading


class Validation(Frozen):
    """What `parity.json` holds.

    Attributes:
        target: The build's name.
        parts: In their order.
        parity: Conversion, then precision; one is missing where its faults left nothing to
            compare.
        by_part: Of several parts, each by itself, as shipped.
        benchmark: How fast it answered; None where it did not pass, or none was wanted.
        faults: What numbers cannot say: an output that is missing, a refusal on one side
            alone, a metric that dropped too far. Each is a sentence and enough to fail.
    """

    target: str
    parts: tuple[Demand, ...] = Field(min_length=1)
    parity: tuple[Parity, ...]
    faults: tuple[str, ...]
    passed: bool
    benchmark: Benchmark | None = None
    by_part: tuple[PartReading, ...] = ()

    @property
    def runtime(self) -> str:
        """Name the runtimes of the parts, each once."""
        return " + ".join(dict.fromkeys(part.runtime for part in self.parts))

    @property
    def precision(self) -> str:
        """Name what the parts compute in, each once."""
        return " + ".join(dict.fromkeys(part.precision for part in self.parts))


#: What to do about numbers that are off, about an original that answers no number, and about
#: faults.
INEXACT = (
    "It is off in f32 too, so that no precision mends it. Where the difference is acceptable, "
    "raise the tolerance under `parity` in the job and say why; otherwise change what is at fault."
)
NARROW = (
    "Converted exactly it holds: the difference comes from the target's `precision` and `weights`, "
    "or from the `format` of tables in `split.rows`. Where it is acceptable, raise the tolerance "
    "under `parity` in the job and say why; otherwise give the target `precision: f32` and "
    "`weights: f32`, and the tables `format: f32`."
)
NO_NUMBER = (
    "Where the original itself answers nan there is nothing to compare with: narrow the `range` of "
    "the job's inputs to what really comes, or mend the model."
)
ALIKE = "Where the job's `inputs` do not say what really comes, mend them."


def verdict(file: Path) -> None:
    """Raise ParityError where the validation that wrote the file did not pass."""
    validation = Validation.model_validate_json(file.read_bytes())
    if not validation.passed:
        raise ParityError(explain(validation))


def explain(validation: Validation, *notes: str) -> str:
    """Say what does not hold, what is known of it, and what to do.

    Args:
        notes: What was found out about the faults, a line each.
    """
    lines = [*_off(validation), *validation.faults]
    faults = "\n".join(f"  - {line}" for line in lines)
    known = "".join(f"\n  {note}" for note in notes)
    return (
        f"target {validation.target} does not answer like the original model:\n{faults}{known}\n"
        f"{' '.join(_remedies(validation))} Or leave the target out. Nothing was pushed; the "
        "report shows every output."
    )


def without_right(numbers: Numbers) -> bool:
    """Tell whether the original itself answers nan where the error is worst."""
    return "nan in the original" in numbers.where


def _off(validation: Validation) -> Iterator[str]:
    """Yield a line an output; one for both kinds where the same files gave the same numbers."""
    kinds: dict[str, list[str]] = {}
    for parity in validation.parity:
        for numbers in parity.outputs:
            if not numbers.passed:
                kinds.setdefault(_figures(numbers), []).append(parity.kind)
    yield from (f"{' and '.join(found)}: {figures}" for figures, found in kinds.items())


def _figures(numbers: Numbers) -> str:
    return (
        f"output '{numbers.output}' is off by up to {numbers.max_abs:.3g}, {numbers.worst:.3g} "
        f"times the tolerance (atol {numbers.atol:g} + rtol {numbers.rtol:g} x |reference|); "
        f"worst in {numbers.where}"
    )


def _remedies(validation: Validation) -> Iterator[str]:
    off = {
        parity.kind: [numbers for numbers in parity.outputs if not numbers.passed]
        for parity in validation.parity
    }
    wrong = [numbers for found in off.values() for numbers in found]
    if any(map(without_right, wrong)):
        yield NO_NUMBER
    elif wrong:
        yield INEXACT if off.get("conversion") else NARROW
    if validation.faults:
        yield ALIKE
