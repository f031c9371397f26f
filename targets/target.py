"""What a runtime has to offer to be a target."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from pydantic import Field

from registry.calibration import Calibrated
from registry.format import Format
from registry.manifest import Allocator
from registry.signature import Frozen, Layout, Precision, Road, Signature

Arrays = Mapping[str, np.ndarray]


class TargetOptions(Frozen):
    """What a job says of every target.

    Attributes:
        name: Unique in the job; the folder of the build.
        precision: What the dense part computes in.
        weights: What its weights are stored in.
        isa: CPU flags that the fleet has, beyond which nothing may be assumed.
        threads: Intra-op threads; 0 takes the host's effective CPUs.
        allocator: What a server takes its memory from; it has to be installed there.
        toolchain: The environment that builds and validates it, where not the runtime's own: a
            job can build for two versions of one runtime.
    """

    name: str = Field(pattern="^[a-z0-9][a-z0-9._-]*$", max_length=64)
    precision: Precision = "f32"
    weights: Precision = "f32"
    isa: tuple[str, ...] = ("avx2", "fma")
    threads: int = Field(default=0, ge=0, le=1024)
    allocator: Allocator = "default"
    toolchain: str | None = None

    @property
    def road(self) -> Road | None:
        """The road to the target's format; None takes the shortest."""
        return None

    @property
    def layout(self) -> Layout:
        """Which axis of images lies innermost in the files."""
        return "auto"

    @property
    def calibrated(self) -> Calibrated | None:
        """How scales of i8 are found once; None where each request finds its own."""
        return None


@dataclass(frozen=True)
class ThreadPlan:
    """How a runtime uses the CPU.

    Attributes:
        threads: Of one request.
        streams: Requests that run side by side.
        pinned: Whether threads stay on their cores: only where no other process wants these.
    """

    threads: int
    streams: int = 1
    pinned: bool = False


class Runner(Protocol):
    """A loaded dense part. Safe to call from several threads."""

    signature: Signature

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch; the arrays have the signature's dtypes."""

    def in_force(self) -> dict[str, str]:
        """Read back from the runtime what it does: precision, threads, streams, device."""


@dataclass(frozen=True)
class Target:
    """A runtime: one file, one row in TARGETS.

    Attributes:
        runtime: Its name in a job.
        package: The package whose version counts.
        format: What it reads.
        options: Its slot in the job, a kind of TargetOptions.
        precisions: CPU flags needed for each precision that it can compute in.
        versions: The range it is known to work with: lowest, and the first that is not.
        version: The installed version.
        load: Load a part from its folder, computing in a precision.
        toolchain: The pinned environment that has it.
    """

    runtime: str
    package: str
    format: Format
    options: type[TargetOptions]
    precisions: Mapping[Precision, tuple[str, ...]]
    versions: tuple[str, str]
    version: Callable[[], str]
    load: Callable[[Path, Precision, ThreadPlan], Runner]
    toolchain: str = "current"
