"""Which toolchains a run needs, whether they are built, and what building them takes."""

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.processes import resources
from pipeline.showing.progress import size
from pipeline.toolchains import find_toolchain, place


@dataclass(frozen=True)
class Needed:
    """A pinned environment that stages of a run need.

    Attributes:
        disk: Bytes that it takes once built, and `download` those beside them until then.
        free: Bytes that are free where it is, or would be.
    """

    name: str
    built: bool
    disk: int
    download: int
    free: int

    @property
    def sentence(self) -> str:
        """Say whether it is built, and what builds it."""
        if self.built:
            return f"toolchain {self.name}: built"
        return (
            f"toolchain {self.name}: not built; it takes {size(self.disk)} of disk and, until it "
            f"is built, {size(self.download)} beside them; {size(self.free)} are free. Run: "
            f"pipeline toolchain sync {self.name}"
        )


def needed(names: Iterable[str]) -> tuple[Needed, ...]:
    """Look for the toolchains of these names, each once; this environment is there anyway."""
    found = (find_toolchain(name) for name in dict.fromkeys(names))
    return tuple(
        Needed(
            name=toolchain.name,
            built=place.is_built(toolchain),
            disk=toolchain.disk,
            download=toolchain.download,
            free=resources.free_disk(place.folder_of(toolchain)),
        )
        for toolchain in found
        if toolchain.pinned
    )
