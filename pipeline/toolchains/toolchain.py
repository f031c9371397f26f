"""A pinned Python environment that converts for, and runs, a target."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.toolchains.pins import Pin, read_pins

#: The name of the environment that this process runs in.
CURRENT = "current"


@dataclass(frozen=True)
class Toolchain:
    """One toolchain: one file, one row in TOOLCHAINS.

    Attributes:
        purpose: What it is for, in a line.
        python: The range of Python versions that its packages exist for.
        pinned: Whether `<name>.txt` says which packages are in it. One that is not is
            this very environment.
        modules: What has to import, by the package that brings it.
        probe: Compute a tiny graph, inside of the toolchain, and say with what.
        runtimes: What its targets run in, where they are not the platform's own.
        isa: CPU flags without which its packages do not run.
        download, disk: Bytes to fetch, and bytes once built.
        support: How long its makers will mend it.
    """

    name: str
    purpose: str
    python: str
    pinned: bool
    modules: Mapping[str, str]
    probe: Callable[[], str]
    runtimes: tuple[str, ...]
    isa: tuple[str, ...]
    download: int
    disk: int
    support: str

    @property
    def file(self) -> Path:
        """Return the file with its pins."""
        return Path(__file__).parent / f"{self.name}.txt"

    def pins(self) -> tuple[Pin, ...]:
        """Read which packages are in it."""
        return read_pins(self.file) if self.pinned else ()

    def digest(self) -> str:
        """Return the digest of its pins, as 12 hex digits."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()[:12]

    def __str__(self) -> str:
        return f"{self.name} {self.digest()}" if self.pinned else self.name
