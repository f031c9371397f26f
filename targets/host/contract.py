"""What a build demands of its host, and whether this host has it."""

from packaging.version import Version

from registry.errors import ContractError, MissingExtraError
from registry.manifest import Build, Contract
from registry.signature import Precision
from targets import find_target
from targets.host.cpu import Host
from targets.target import Target, TargetOptions


def make_contract(target: Target, options: TargetOptions, *, memory: int = 0) -> Contract:
    """Write down what a target's builds demand.

    Raises:
        ContractError: The job's precision needs CPU flags that the target's `isa` lacks,
            or the runtime cannot compute in it.
    """
    if options.precision not in target.precisions:
        raise ContractError(f"{options.name}: {_unable(target, options.precision)}")
    needed = target.precisions[options.precision]
    if lacking := [flag for flag in needed if flag not in options.isa]:
        raise ContractError(
            f"{options.name}: precision {options.precision} needs {', '.join(lacking)}, which the "
            f"target's isa does not have. Add it where all of the fleet has it, or take "
            f"precision: f32"
        )
    at_least, below = _range(target, options)
    return Contract(
        isa=options.isa,
        runtime=target.runtime,
        at_least=at_least,
        below=below,
        precision=options.precision,
        threads=options.threads,
        memory=memory,
        allocator=options.allocator,
    )


def _range(target: Target, options: TargetOptions) -> tuple[str, str]:
    """Return the versions that may run a build: none that is older than what it was tried with.

    Where the job asks for a toolchain of its own it wants that version: others have other builds.
    """
    lowest, below = target.versions
    made = Version(target.version())
    if not Version(lowest) <= made < Version(below):
        return target.versions
    tried = f"{made.major}.{made.minor}"
    return tried, f"{made.major}.{made.minor + 1}" if options.toolchain else below


def check(contract: Contract, host: Host) -> None:
    """Hold a contract against a host.

    Raises:
        ContractError: Names all that is missing, and what to do.
    """
    target = find_target(contract.runtime)
    faults = [
        *_isa_faults(contract, target, host),
        *_runtime_faults(contract, target),
        *_memory_faults(contract.memory, host),
    ]
    if faults:
        raise ContractError(f"this host cannot run the build: {'; '.join(faults)}")


def check_build(build: Build, host: Host) -> None:
    """Hold the contracts of all parts of a build against a host, and their memory in sum.

    Raises:
        ContractError: Names all that is missing, by part, and what to do.
    """
    if len(build.parts) == 1:
        check(build.parts[0].contract, host)
        return
    faults = []
    for part in build.parts:
        target = find_target(part.runtime)
        found = [*_isa_faults(part.contract, target, host), *_runtime_faults(part.contract, target)]
        faults += [f"part {part.name}: {fault}" for fault in found]
    faults += _memory_faults(sum(part.contract.memory for part in build.parts), host)
    if faults:
        raise ContractError(f"this host cannot run the build: {'; '.join(faults)}")


def lacking_flags(
    target: Target, precision: Precision, isa: tuple[str, ...], host: Host
) -> tuple[str, ...]:
    """Return the CPU flags that a build demands and a host lacks, those of `isa` first.

    Args:
        precision: One that the target computes in.
    """
    wanted = dict.fromkeys((*isa, *target.precisions[precision]))
    return tuple(flag for flag in wanted if flag not in host.flags)


def takes(contract: Contract, version: str) -> bool:
    """Say whether a version of the runtime is in the contract's range."""
    return Version(contract.at_least) <= Version(version) < Version(contract.below)


def _unable(target: Target, precision: Precision) -> str:
    able = " or ".join(target.precisions)
    return f"{target.runtime} does not compute in {precision}; build for {able}"


def _isa_faults(contract: Contract, target: Target, host: Host) -> list[str]:
    if contract.precision not in target.precisions:
        return [_unable(target, contract.precision)]
    lacking = lacking_flags(target, contract.precision, contract.isa, host)
    if not lacking:
        return []
    return [f"its CPU has no {', '.join(lacking)}; take another build, or a host that has it"]


def _runtime_faults(contract: Contract, target: Target) -> list[str]:
    wanted = f"'{target.package}>={contract.at_least},<{contract.below}'"
    try:
        version = target.version()
    except MissingExtraError:
        return [f"{target.package} is not installed. Run: pip install {wanted}"]
    if takes(contract, version):
        return []
    return [f"{target.package} is {version}. Run: pip install {wanted}"]


def _memory_faults(memory: int, host: Host) -> list[str]:
    if memory <= host.memory:
        return []
    need, have = memory >> 20, host.memory >> 20
    return [f"it takes {need} MiB of memory, of which there are {have}; raise the limit"]
