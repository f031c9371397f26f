"""A task of a job before it is known where its inputs lie."""

from dataclasses import dataclass, field
from pathlib import Path

from pipeline.toolchains import CURRENT
from registry.signature import Frozen


@dataclass(frozen=True)
class Node:
    """One task: which stage, with which options, reading whose output.

    Attributes:
        reads: Names of the tasks whose output it reads, by role.
        files: Source files that decide its output.
        toolchain: The environment that it runs in.
        cached: Whether an output of the same material may take its place.
    """

    name: str
    stage: str
    options: Frozen
    reads: dict[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    toolchain: str = CURRENT
    cached: bool = True
