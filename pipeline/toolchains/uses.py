"""Which toolchains did what, as a run and a version write it down."""

from collections.abc import Iterable

from pipeline.toolchains.toolchain import Toolchain
from registry.manifest import ToolchainUse


def uses(pairs: Iterable[tuple[Toolchain, str]]) -> tuple[ToolchainUse, ...]:
    """Return the pinned ones of toolchains, each once, with all that it was used for."""
    found: dict[str, tuple[Toolchain, list[str]]] = {}
    for toolchain, what in pairs:
        if toolchain.pinned:
            found.setdefault(toolchain.name, (toolchain, []))[1].append(what)
    return tuple(_use(toolchain, whats) for toolchain, whats in found.values())


def _use(toolchain: Toolchain, whats: Iterable[str]) -> ToolchainUse:
    return ToolchainUse(
        name=toolchain.name,
        pins=toolchain.digest(),
        python=toolchain.python,
        support=toolchain.support,
        packages={pin.name: pin.version for pin in toolchain.pins()},
        used_for=tuple(dict.fromkeys(whats)),
    )
