"""What became of a model."""

from pathlib import Path

from benchmarks.zoo.exact import FILE, Exact
from benchmarks.zoo.order import Event
from benchmarks.zoo.package import Model
from benchmarks.zoo.plan import EXACT, output_of
from pipeline.processes.setting import ROOT
from pipeline.stages.part import read_split
from pipeline.stages.verdict import Validation
from registry.signature import Frozen

#: Another order of the same sums; the table tells it, and it is no fault.
ROUNDING = 1e-5

#: Answers that vary by less prove nothing.
FLAT = 1e-3


class Build(Frozen):
    """One target: whether it was converted, answers within tolerance, and how far it is off."""

    runtime: str
    converted: bool
    within: bool
    worst: float | None


class Fault(Frozen):
    """What went wrong in a task: its first line."""

    task: str
    kind: str
    message: str


class Outcome(Frozen):
    """What `outcome.json` holds.

    Attributes:
        key: Digest of what decided it.
        axes: Free axes that the dense part kept, and those that the job fixed.
        tables: How many were cut out; `kept` stayed, with the reasons.
        exact: Whether the split is equal to the bit; None where it did not come to that.
    """

    package: str
    model: str
    key: str
    axes: tuple[str, ...]
    fixed: tuple[str, ...]
    tables: int
    lookups: int
    kept: tuple[str, ...]
    exact: Exact | None
    builds: tuple[Build, ...]
    faults: tuple[Fault, ...]
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong with it."""
        return bool(self.builds) and not self.faults and all(one.within for one in self.builds)


def outcome_of(
    names: tuple[str, str, str], model: Model, folder: Path, events: dict[str, Event]
) -> Outcome:
    """Read what the tasks of a model left.

    Args:
        names: Of the package and of the model, and the key.
    """
    split, exact = None, None
    if events["split"].state == "done":
        split = read_split(output_of("split", folder))
    if EXACT in events and events[EXACT].state == "done":
        exact = Exact.model_validate_json((output_of(EXACT, folder) / FILE).read_bytes())
    faults = [
        Fault(task=event.task, kind=event.kind, message=_without_places(event.message, folder))
        for event in events.values()
        if event.state == "failed"
    ]
    builds = [_build(runtime, folder, events) for runtime in model.runtimes]
    faults += [fault for one in model.runtimes for fault in _amiss(one, folder, events)]
    faults += _inexact(exact)
    free = {dim for one in split.signature.inputs for dim in one.shape} if split else set()
    return Outcome(
        package=names[0],
        model=names[1],
        key=names[2],
        axes=tuple(axis for axis in model.axes if axis in free),
        fixed=tuple(model.fixed),
        tables=len(split.tables) if split else 0,
        lookups=len(split.lookups) if split else 0,
        kept=tuple(f"{one.table}: {one.why}" for one in split.kept) if split else (),
        exact=exact,
        builds=tuple(builds),
        faults=tuple(faults),
        seconds=sum(event.seconds for event in events.values()),
    )


def _without_places(message: str, folder: Path) -> str:
    """Leave out where things lie on this host."""
    return message.replace(f"{folder}/", "").replace(f"{ROOT}/", "")


def _build(runtime: str, folder: Path, events: dict[str, Event]) -> Build:
    last = events.get(f"validate {runtime}")
    validation = _validation(runtime, folder, events)
    if validation is None:
        converted = last is not None and last.state == "failed"
        return Build(runtime=runtime, converted=converted, within=False, worst=None)
    worst = [number.max_abs for parity in validation.parity for number in parity.outputs]
    return Build(
        runtime=runtime,
        converted=True,
        within=validation.passed,
        worst=max(worst, default=None),
    )


def _amiss(runtime: str, folder: Path, events: dict[str, Event]) -> list[Fault]:
    """Say what a validation found that does not hold."""
    validation = _validation(runtime, folder, events)
    if validation is None or validation.passed:
        return []
    off = [
        f"output {one.output} is off by {one.max_abs:.2g}, {one.worst:.2g} times the tolerance, "
        f"worst in {one.where}"
        for parity in validation.parity
        for one in parity.outputs
        if not one.passed
    ]
    said = "; ".join(dict.fromkeys((*off, *validation.faults)))
    return [Fault(task=f"validate {runtime}", kind="ParityError", message=said)]


def _validation(runtime: str, folder: Path, events: dict[str, Event]) -> Validation | None:
    name = f"validate {runtime}"
    if name not in events or events[name].state != "done":
        return None
    return Validation.model_validate_json((output_of(name, folder) / "parity.json").read_bytes())


def _inexact(exact: Exact | None) -> list[Fault]:
    if exact is None:
        return []
    if exact.worst > ROUNDING:
        said = f"differs by {exact.worst:.2g} in {exact.where}"
        return [Fault(task=EXACT, kind="SplitError", message=said)]
    if exact.cases == 0 or exact.spread < FLAT:
        said = f"{exact.cases} cases whose answers vary by {exact.spread:.2g} prove nothing"
        return [Fault(task=EXACT, kind="zoo", message=said)]
    return []
