"""The model in a folder that somebody else has made."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from registry.disk import disk_faults
from registry.errors import SourceError
from registry.format import ENTRY, Format

#: By the ending of the file to open.
_ENDINGS: dict[str, Format] = {".onnx": Format.ONNX, ".xml": Format.OPENVINO_IR}


@dataclass(frozen=True)
class Found:
    """A model's file to open, and how it is to be read."""

    file: Path
    format: Format


def find_model(folder: Path) -> Found:
    """Find the one model of a folder, or take the file that is named.

    Raises:
        SourceError: There is none, or more than one.
    """
    with disk_faults(folder):
        files = [folder] if folder.is_file() else sorted(folder.iterdir())
    models = [file for file in files if file.suffix in _ENDINGS and file.is_file()]
    if len(models) != 1:
        there = ", ".join(file.name for file in models) or "none"
        raise SourceError(
            f"{folder}: one model is wanted, an .onnx or the .xml of OpenVINO IR, and there is "
            f"{there}. Name the file"
        )
    return Found(models[0], _ENDINGS[models[0].suffix])


def lay_part(found: Found, place: Path) -> None:
    """Copy a model's files to where a part has them.

    Raises:
        SourceError: IR lacks its weights.
    """
    with disk_faults(place):
        place.mkdir(parents=True)
        shutil.copyfile(found.file, place / ENTRY[found.format])
        if found.format is Format.OPENVINO_IR:
            weights = found.file.with_suffix(".bin")
            if not weights.is_file():
                raise SourceError(f"{weights} is missing: the weights of {found.file.name}")
            shutil.copyfile(weights, place / "model.bin")
            return
        for other in found.file.parent.iterdir():
            if other.is_file() and other != found.file and _names(found.file, other.name):
                shutil.copyfile(other, place / other.name)


def _names(model: Path, name: str) -> bool:
    """Say whether a model may keep tensors in a file: then it names it."""
    return name.encode() in model.read_bytes()
