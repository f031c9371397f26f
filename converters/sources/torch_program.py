"""A saved torch.export program."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from converters.brief import Arrays, Brief, Inspection, SourceOptions
from converters.checkpoints.checkpoint import open_checkpoint
from converters.programs import safety as program_safety
from converters.programs.derived_axes import forget_derived_ranges
from converters.programs.eager import answering
from converters.programs.guesses import guess_program
from converters.programs.mapped import mapping_weights
from converters.programs.match import in_program_order
from converters.quiet import TORCH_EXPORT, quiet
from converters.sources.source import Source
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from registry.composition import Split
from registry.errors import SourceError
from registry.progress import Progress

if TYPE_CHECKING:
    from torch.export import ExportedProgram


class ProgramOptions(SourceOptions):
    """A `.pt2` file, as torch.export.save writes it."""

    kind: Literal["program"] = "program"
    file: str


def files(options: SourceOptions, folder: Path) -> tuple[Path, ...]:
    """List the one file that there is."""
    return (_file(_own(options), folder),)


def split(brief: Brief, options: SplitOptions, out: Path, progress: Progress) -> Split:
    """Load and split; the tables stay in the file."""
    file = _file(_own(brief.options), brief.folder)
    program = _load(file)
    progress(1, 2, "steps")
    held = open_checkpoint(file)
    ordered = in_program_order(brief, program)
    found = split_program(program, ordered, options, out, held.find_origin)
    progress(2, 2, "steps")
    return found


def answers(brief: Brief) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Run the program as it is."""
    program = _load(_file(_own(brief.options), brief.folder))
    ordered = in_program_order(brief, program)
    return answering(program.module(check_guards=False), ordered)


def inspect(options: SourceOptions, folder: Path, samples: Arrays) -> Inspection:
    """Read the inputs from the program."""
    return guess_program(_load(_file(_own(options), folder)), samples)


def _own(options: SourceOptions) -> ProgramOptions:
    if not isinstance(options, ProgramOptions):
        raise TypeError(f"not a program source: {options!r}")
    return options


def _file(options: ProgramOptions, folder: Path) -> Path:
    file = (folder / options.file).absolute()
    if not file.is_file():
        raise SourceError(f"{file}: is not there")
    return file


def _load(file: Path) -> "ExportedProgram":
    from torch.export.pt2_archive import _package

    program_safety.check(file)
    try:
        with quiet("torch.export", *TORCH_EXPORT), _weights_only(), mapping_weights(file):
            held = _package.load_pt2(file)
    except Exception as error:
        raise SourceError(
            f"{file}: torch cannot load it ({str(error).strip().splitlines()[0]}). Export it again"
            " with this version of torch"
        ) from error
    if "model" not in held.exported_programs:
        names = ", ".join(held.exported_programs)
        raise SourceError(f"{file}: has no program 'model' among {names}")
    program = held.exported_programs["model"]
    program._guards_code = []  # Python source, which torch would run
    forget_derived_ranges(program)
    return program


@contextmanager
def _weights_only() -> Iterator[None]:
    """Keep torch from unpickling anything but tensors, also where it asks for more."""
    name = "TORCH_FORCE_WEIGHTS_ONLY_LOAD"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


SOURCE = Source(
    kind="program",
    options=ProgramOptions,
    files=files,
    split=split,
    answers=answers,
    inspect=inspect,
)
