"""Pinned Python environments in which stages run: one file a toolchain."""

from pipeline.toolchains import current, ipex, openvino_2025_4, tensorflow
from pipeline.toolchains.toolchain import CURRENT, Toolchain
from registry.errors import ToolchainError

TOOLCHAINS: tuple[Toolchain, ...] = (
    current.TOOLCHAIN,
    ipex.TOOLCHAIN,
    openvino_2025_4.TOOLCHAIN,
    tensorflow.TOOLCHAIN,
)

__all__ = ["CURRENT", "TOOLCHAINS", "Toolchain", "find_toolchain"]


def find_toolchain(name: str) -> Toolchain:
    """Return the toolchain's row.

    Raises:
        ToolchainError: There is no such toolchain.
    """
    for toolchain in TOOLCHAINS:
        if toolchain.name == name:
            return toolchain
    known = ", ".join(toolchain.name for toolchain in TOOLCHAINS)
    raise ToolchainError(f"there is no toolchain '{name}'; there are {known}")
