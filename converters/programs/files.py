"""Exported programs as files: `model.pt2`, which also says its signature in the job's words."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from converters.programs.derived_axes import forget_derived_ranges
from converters.quiet import TORCH_EXPORT, quiet
from registry.errors import SourceError
from registry.format import ENTRY, Format
from registry.signature import Signature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_SIGNATURE = "signature.json"


def save_program(program: "ExportedProgram", folder: Path, signature: Signature) -> Path:
    """Write `model.pt2`, which keeps the names of axes and outputs that torch has no place for."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / ENTRY[Format.EXPORTED_PROGRAM]
    with quiet("torch.export", *TORCH_EXPORT):
        torch.export.save(program, file, extra_files={_SIGNATURE: signature.model_dump_json()})
    return file


def load_program(folder: Path) -> "tuple[ExportedProgram, Signature]":
    """Read what `save_program` wrote. For files of other people, see `sources.torch_program`.

    Raises:
        SourceError: The file does not say its signature.
    """
    import torch

    file = folder / ENTRY[Format.EXPORTED_PROGRAM]
    extra = {_SIGNATURE: ""}
    with quiet("torch.export", *TORCH_EXPORT):
        program = torch.export.load(file, extra_files=extra)
        forget_derived_ranges(program)
    if not extra[_SIGNATURE]:
        raise SourceError(f"{file}: holds no signature: it was not written by this platform")
    return program, Signature.model_validate(json.loads(extra[_SIGNATURE]))
