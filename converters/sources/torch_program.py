"""A saved torch.export program."""

from typing import Literal

from converters.sources.source import SourceOptions


class ProgramOptions(SourceOptions):
    """A `.pt2` file, as torch.export.save writes it."""

    kind: Literal["program"] = "program"
    file: str
