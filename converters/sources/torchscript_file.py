"""A TorchScript file, as torch.jit.save writes it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from converters.brief import Arrays, Brief, Inspection, SourceOptions
from converters.checkpoints.rows_file import PLACE, ROWS, write_place
from converters.checkpoints.stored import Stored
from converters.guesses import inspect_module
from converters.programs.eager import answering
from converters.programs.export import export_program
from converters.sources.source import Source
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from converters.torchscript_graphs.module import load_script, plain_module, running
from registry.composition import Origin, Split
from registry.errors import SourceError
from registry.progress import Progress


class ScriptOptions(SourceOptions):
    """A file that torch.jit.save wrote, of a scripted or a traced module."""

    kind: Literal["torchscript"] = "torchscript"
    file: str


def files(options: SourceOptions, folder: Path) -> tuple[Path, ...]:
    """List the one file that there is."""
    return (_file(_own(options), folder),)


def split(brief: Brief, options: SplitOptions, out: Path, progress: Progress) -> Split:
    """Trace the file's graph and split that; its tables stay in the file, where they can."""
    file = _file(_own(brief.options), brief.folder)
    held = load_script(file)
    module = plain_module(held.script, file)
    progress(1, 3, "steps")
    program = export_program(module, brief)
    progress(2, 3, "steps")
    find = partial(_find_origin, held.places, out)
    found = split_program(program, brief, options, out, find)
    progress(3, 3, "steps")
    return found


def _find_origin(places: Mapping[str, Stored], out: Path, name: str) -> Origin | None:
    """Point to the rows of a weight in the file."""
    stored = places.get(name)
    if stored is None or stored.strides is not None or len(stored.shape) != 2:
        return None
    file = Path("origins") / f"{name}{PLACE}"
    write_place(out / file, stored)
    return Origin(table=name, file=file.as_posix(), key=ROWS)


def answers(brief: Brief) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Run the file in torch's own interpreter, as its users do."""
    held = load_script(_file(_own(brief.options), brief.folder))
    return answering(running(held.script), brief)


def inspect(options: SourceOptions, folder: Path, samples: Arrays) -> Inspection:
    """Read the inputs from forward's arguments, the layers, and the samples."""
    file = _file(_own(options), folder)
    return inspect_module(plain_module(load_script(file).script, file), samples)


def _own(options: SourceOptions) -> ScriptOptions:
    if not isinstance(options, ScriptOptions):
        raise TypeError(f"not a TorchScript source: {options!r}")
    return options


def _file(options: ScriptOptions, folder: Path) -> Path:
    file = (folder / options.file).absolute()
    if not file.is_file():
        raise SourceError(f"{file}: is not there")
    return file


SOURCE = Source(
    kind="torchscript",
    options=ScriptOptions,
    files=files,
    split=split,
    answers=answers,
    inspect=inspect,
)
