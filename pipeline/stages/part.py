"""Read what earlier tasks left: the split, and a part in whatever format."""

from pathlib import Path

from registry.composition import Artifact, Split

SPLIT = "split.json"
ARTIFACT = "artifact.json"


def read_split(folder: Path) -> Split:
    """Read the output of a split task."""
    return Split.model_validate_json((folder / SPLIT).read_bytes())


def read_part(folder: Path) -> Artifact:
    """Read the dense part from the output of a convert task, or of the split itself.

    Its folder is relative to the one given.
    """
    file = folder / ARTIFACT
    if file.exists():
        return Artifact.model_validate_json(file.read_bytes())
    return read_split(folder).dense
