"""The table of a package, in Markdown."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.zoo.environment import versions_of
from benchmarks.zoo.outcome import Build, Outcome
from benchmarks.zoo.package import RUNTIMES, Package

TABLES = Path(__file__).parent / "tables"

_NAMES = {"openvino": "OpenVINO", "onnxruntime": "ONNX Runtime", "ipex": "IPEX"}


def write_table(package: Package, outcomes: Sequence[Outcome]) -> Path:
    """Write `tables/<package>.md`; what has no outcome was not run."""
    file = TABLES / f"{package.name}.md"
    file.write_text(table(package, outcomes, every=True))
    return file


def table(package: Package, outcomes: Sequence[Outcome], *, every: bool = False) -> str:
    """Tell of each model, and of all together.

    Args:
        every: Name the models without an outcome, too.
    """
    ran = {one.model for one in outcomes}
    rest = [model.name for model in package.models if every and model.name not in ran]
    lines = [f"# {package.name}", "", f"Made by `make zoo`; {versions_of(package)}.", ""]
    lines += [_sums(outcomes) + _beside(outcomes, len(rest)), "", *_head(), *map(_row, outcomes)]
    lines += [f"| {name} | not run | | | | | |" for name in rest]
    lines += _reasons(package, outcomes)
    lines += _list("No model that is served", package.left_out.items())
    return "\n".join(lines) + "\n"


def _sums(outcomes: Sequence[Outcome]) -> str:
    total = len(outcomes)
    exact = sum(one.exact is not None and one.exact.equal for one in outcomes)
    free = sum(bool(one.axes) and not one.fixed for one in outcomes)
    held = sum(one.holds and not _missing(one) for one in outcomes)
    by = [
        f"{_NAMES[runtime]} {sum(_build(one, runtime).within for one in outcomes)}"
        for runtime in RUNTIMES
    ]
    return (
        f"**{held} of {total} models hold in everything.** All dynamic axes kept: {free}; split "
        f"equal to the bit: {exact}; converted and within tolerance: {', '.join(by)}."
    )


def _beside(outcomes: Sequence[Outcome], rest: int) -> str:
    """Say what was not run, and whether all was run with the same code."""
    states = len({one.key for one in outcomes})
    left = f" **{rest} models were not run** and count nowhere here." if rest else ""
    for runtime in RUNTIMES:
        if less := sum(runtime in _missing(one) for one in outcomes):
            left += f" On {_NAMES[runtime]} {less} of these were not run."
    return left + (f" Run with {states} states of our code." if states > 1 else "")


def _missing(one: Outcome) -> set[str]:
    """Return the runtimes that a model was not run on."""
    return set(RUNTIMES) - {build.runtime for build in one.builds}


def _head() -> list[str]:
    names = [_NAMES[runtime] for runtime in RUNTIMES]
    columns = ["model", "axes kept", "tables cut", "split equal", *names]
    return [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]


def _row(one: Outcome) -> str:
    axes = ", ".join((*one.axes, *(f"{name} fixed" for name in one.fixed))) or "none"
    exact = "no" if one.exact is None else "yes" if one.exact.equal else f"{one.exact.worst:.0e}"
    missing = _missing(one)
    builds = [
        "not run" if runtime in missing else _told(_build(one, runtime)) for runtime in RUNTIMES
    ]
    return f"| {' | '.join([one.model, axes, str(one.tables), exact, *builds])} |"


def _told(build: Build) -> str:
    if not build.converted:
        return "not converted"
    worst = "" if build.worst is None else f"{build.worst:.0e}"
    return worst if build.within else f"**off** {worst}".strip()


def _build(one: Outcome, runtime: str) -> Build:
    missing = Build(runtime=runtime, converted=False, within=False, worst=None)
    return next((build for build in one.builds if build.runtime == runtime), missing)


def _reasons(package: Package, outcomes: Sequence[Outcome]) -> list[str]:
    known = {one.model: package.model(one.model) for one in outcomes}
    failures = [
        (
            f"{one.model}, {fault.task}",
            _short(fault.message) + _blamed(known[one.model].blame),
        )
        for one in outcomes
        for fault in one.faults
    ]
    fixed = [
        (f"{name}, {axis}", why)
        for name, model in known.items()
        for axis, why in model.fixed.items()
    ]
    return _list("What does not hold, and why", failures) + _list("Fixed axes", fixed)


def _blamed(blame: str) -> str:
    return f" ({blame})" if blame else ""


def _short(message: str) -> str:
    return " ".join(message.replace("|", "/").split())[:400]


def _list(title: str, entries: object) -> list[str]:
    lines = [f"- {name}: {text}" for name, text in entries]  # type: ignore[attr-defined]
    return ["", f"## {title}", "", *lines] if lines else []
