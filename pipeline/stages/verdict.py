"""What a validation found, and the error that stops a run when it does not hold."""

from pathlib import Path

from registry.errors import ParityError
from registry.manifest import Contract, Numbers, Parity
from registry.signature import Frozen, Precision


class Validation(Frozen):
    """What `parity.json` holds.

    Attributes:
        parity: Conversion, then precision; one is missing where its faults left nothing to
            compare.
        faults: What numbers cannot say: an output that is missing, a refusal on one side
            alone, a metric that dropped too far. Each is a sentence and enough to fail.
    """

    target: str
    runtime: str
    precision: Precision
    contract: Contract
    parity: tuple[Parity, ...]
    faults: tuple[str, ...]
    passed: bool


#: What to do about numbers that are off, and about faults.
CLOSER = (
    "Where the difference is acceptable, raise the tolerance under `parity` in the job and say "
    "why; otherwise give the target `precision: f32` and `weights: f32`."
)
ALIKE = "Where the job's `inputs` do not say what really comes, mend them."


def verdict(file: Path) -> None:
    """Raise ParityError where the validation that wrote the file did not pass."""
    validation = Validation.model_validate_json(file.read_bytes())
    if validation.passed:
        return
    off = [
        _off(parity.kind, numbers)
        for parity in validation.parity
        for numbers in parity.outputs
        if not numbers.passed
    ]
    faults = "\n".join(f"  - {fault}" for fault in (*off, *validation.faults))
    remedies = [CLOSER] * bool(off) + [ALIKE] * bool(validation.faults)
    raise ParityError(
        f"target {validation.target} does not answer like the original model:\n{faults}\n"
        f"{' '.join(remedies)} Or leave the target out. Nothing was pushed; the report shows every "
        "output."
    )


def _off(kind: str, numbers: Numbers) -> str:
    return (
        f"{kind}: output '{numbers.output}' is off by up to {numbers.max_abs:.3g}, "
        f"{numbers.worst:.3g} times the tolerance (atol {numbers.atol:g} + rtol "
        f"{numbers.rtol:g} x |reference|); worst in {numbers.where}"
    )
