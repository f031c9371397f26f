"""Which toolchain builds and validates a target."""

from pipeline.toolchains import CURRENT, Toolchain, find_toolchain
from targets import AnyTarget, find_target
from targets.target import Target


def toolchain_of(options: AnyTarget) -> Toolchain:
    """Return the toolchain that a job names for a target, or else the runtime's own.

    Raises:
        ToolchainError: There is no such toolchain.
    """
    return find_toolchain(options.toolchain or find_target(options.runtime).toolchain)


def fits(toolchain: Toolchain, target: Target) -> bool:
    """Say whether a toolchain has a target's runtime."""
    if toolchain.name == CURRENT:
        return target.toolchain == CURRENT
    return target.runtime in toolchain.runtimes
