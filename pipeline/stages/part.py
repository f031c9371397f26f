"""Read what earlier tasks left: the split, and a part in whatever format."""

from pathlib import Path

from pydantic import Field

from registry.composition import Artifact, Split
from registry.signature import Frozen

SPLIT = "split.json"
ARTIFACT = "artifact.json"
PARTS = "parts.json"


class Parts(Frozen):
    """What `parts.json` holds: the parts that the dense part was cut into, in their order."""

    parts: tuple[Artifact, ...] = Field(min_length=2)


def read_split(folder: Path) -> Split:
    """Read the output of a split task."""
    return Split.model_validate_json((folder / SPLIT).read_bytes())


def read_parts(folder: Path) -> tuple[Artifact, ...]:
    """Read the output of a cut task."""
    return Parts.model_validate_json((folder / PARTS).read_bytes()).parts


def read_part(folder: Path, name: str) -> Artifact:
    """Read a part from the output of a convert task, of the cut, or of the split itself.

    Its folder is relative to the one given.

    Args:
        name: Of the part; `dense` where the dense part was not cut.
    """
    if (folder / ARTIFACT).exists():
        return Artifact.model_validate_json((folder / ARTIFACT).read_bytes())
    if (folder / PARTS).exists():
        return next(part for part in read_parts(folder) if part.part == name)
    split = read_split(folder)
    known = (split.dense, split.preprocess, split.postprocess)
    return next(part for part in known if part and part.part == name)
