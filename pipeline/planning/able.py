"""Refuse targets that this host cannot run, before anything is converted for them."""

from collections.abc import Iterable, Iterator

from pipeline.planning.steps import Step
from pipeline.stages.validate import Options
from registry.composition import AROUND
from registry.errors import ContractError
from targets import AnyTarget, find_target
from targets.host.contract import lacking_flags
from targets.host.cpu import Host


def check_able(ahead: Iterable[Step], here: Host) -> None:
    """Hold what is to be validated against this host: a build is loaded and asked here.

    Args:
        ahead: Steps that will be done.

    Raises:
        ContractError: With each target that this CPU cannot run, the flags and the remedy.
    """
    if faults := unable(ahead, here):
        raise ContractError("\n".join(faults))


def unable(ahead: Iterable[Step], here: Host) -> tuple[str, ...]:
    """Say of each target that is to be validated why this host cannot, if it cannot."""
    validated = (step for step in ahead if step.task.stage == "validate")
    parts = (one for step in validated for one in _options(step).build.parts)
    # What comes before and after the model runs on the CPU that the model runs on.
    return unfit((one.target for one in parts if one.part not in AROUND), here)


def unfit(targets: Iterable[AnyTarget], here: Host) -> tuple[str, ...]:
    """Say of each target, once, which CPU flags it needs that this host lacks."""
    return tuple(dict.fromkeys(fault for each in targets for fault in _faults(each, here)))


def _options(step: Step) -> Options:
    return Options.model_validate(step.task.options)


def _faults(options: AnyTarget, here: Host) -> Iterator[str]:
    target = find_target(options.runtime)
    lacking = lacking_flags(target, options.precision, options.isa, here)
    if not lacking:
        return
    needed = set(lacking) & set(target.precisions[options.precision])
    why = f"precision {options.precision} needs" if needed else "its `isa` names"
    otherwise = "take precision: f32" if needed else "take it out of `isa`"
    yield (
        f"{options.name}: this host's CPU has no {', '.join(lacking)}, which {why}: the target "
        f"cannot be validated here. Run the job on a host that has it, or {otherwise}"
    )
