"""The parts of a version by the names that people see, and the files that begin them."""

from pathlib import PurePosixPath

from registry.composition import Artifact
from registry.format import ENTRY
from registry.graphs.reading import READERS
from registry.manifest import Version


def parts_of(version: Version) -> dict[str, Artifact]:
    """Return what computes: each build, or each of its parts where it is cut, and ids programs."""
    parts = {
        build.target if len(build.parts) == 1 else f"{build.target}, {part.name}": part.artifact
        for build in version.builds
        for part in build.parts
    }
    return parts | {program.part: program for program in version.id_programs}


def entry_of(part: Artifact) -> str:
    """Name the file that a part begins with, in a version's folder."""
    return str(PurePosixPath(part.folder) / ENTRY[part.format])


def graphs_of(version: Version) -> tuple[str, ...]:
    """Name the parts whose format shows a graph."""
    return tuple(name for name, part in parts_of(version).items() if part.format in READERS)
