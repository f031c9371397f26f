"""Choose the build of a version that this host can run."""

from registry.errors import ContractError, JobError
from registry.manifest import Build, Draft
from targets.host.contract import check_build
from targets.host.cpu import host


def choose_build(draft: Draft, target: str | None = None) -> Build:
    """Take the build for a target, or the first whose contract this host meets.

    Raises:
        ContractError: This host cannot run it, or none of them.
        JobError: There is no build for the target.
    """
    named = [build for build in draft.builds if target in (None, build.target)]
    if not named:
        known = ", ".join(build.target for build in draft.builds)
        raise JobError(f"{draft.model} has no build for '{target}'; it has {known}")
    here = host()
    faults = []
    for build in named:
        try:
            check_build(build, here)
        except ContractError as error:
            faults.append(f"{build.target}: {error}")
        else:
            return build
    raise ContractError(f"{draft.model} has no build that this host can run. {'; '.join(faults)}")
