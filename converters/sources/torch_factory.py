"""A torch module that a callable builds, and its weights."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field, JsonValue

from converters.brief import Arrays, Brief, Inspection, SourceOptions
from converters.checkpoints.checkpoint import Checkpoint, open_checkpoint
from converters.checkpoints.weights import check_numbers, load_weights
from converters.dtypes import dtype_of_torch
from converters.guesses import inspect_module
from converters.programs.eager import answering
from converters.programs.export import export_program
from converters.programs.jagged import feed_jagged
from converters.programs.jagged_guesses import find_jagged, inspect_jagged
from converters.programs.jagged_operators import with_own_operators
from converters.programs.skeleton import build_skeleton
from converters.programs.user_code import importable, load_callable, local_files, raised
from converters.sources.source import Source
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from registry.composition import Origin, Remark, Split
from registry.errors import SourceError
from registry.progress import Progress

if TYPE_CHECKING:
    import torch


class TorchOptions(SourceOptions):
    """A factory and a checkpoint.

    Attributes:
        factory: `module:callable`; it returns a torch.nn.Module. This is user code, and
            naming it here is the permission to run it.
        args: Keyword arguments of the factory.
        path: Folder to import the module from, relative to the job file.
        weights: A safetensors file, or a torch checkpoint that holds nothing but
            tensors. Without it the module's own weights are taken. `s3://bucket/key` is fetched
            once, and again when it has changed; `${NAME}` takes an environment variable.
        endpoint: Of an S3-compatible service that the weights lie on, if it is not AWS.
        jagged: For modules of torchrec: the features, by the parameter of forward that takes
            them as one KeyedJaggedTensor. Each is an input of that name, and one with its offsets.
    """

    kind: Literal["torch"] = "torch"
    factory: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")
    args: dict[str, JsonValue] = Field(default_factory=dict)
    path: str = "."
    weights: str | None = None
    endpoint: str | None = None
    jagged: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(default_factory=dict)


def files(options: SourceOptions, folder: Path) -> tuple[Path, ...]:
    """List the weights and the Python files that the factory imports from its folder."""
    own = _own(options)
    checkpoint = _checkpoint(own, folder)
    weights = checkpoint.files if checkpoint else ()
    return (*weights, *local_files(own.factory, folder / own.path))


def split(brief: Brief, options: SplitOptions, out: Path, progress: Progress) -> Split:
    """Build, export and split; the tables stay in the checkpoint."""
    module, checkpoint, remarks = _open_for(brief)
    if checkpoint:
        check_numbers(module, checkpoint)
    progress(1, 3, "steps")
    program = with_own_operators(export_program(module, brief))
    progress(2, 3, "steps")
    found = split_program(program, brief, options, out, _origins(module, checkpoint))
    whole = found.model_copy(update={"remarks": (*remarks, *found.remarks)})
    (out / "split.json").write_text(whole.model_dump_json(indent=2))
    progress(3, 3, "steps")
    return whole


def answers(brief: Brief) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Run the module eagerly, as its users do."""
    module, _, _ = _open_for(brief)
    return answering(module, brief)


def inspect(options: SourceOptions, folder: Path, samples: Arrays) -> Inspection:
    """Read the inputs from the signature of forward and from the samples."""
    own = _own(options)
    module, _, _ = _open(own, folder)
    if jagged := own.jagged or find_jagged(module):
        return inspect_jagged(module, jagged, samples)
    return inspect_module(module, samples)


def _own(options: SourceOptions) -> TorchOptions:
    if not isinstance(options, TorchOptions):
        raise TypeError(f"not a torch source: {options!r}")
    return options


def _origins(
    module: "torch.nn.Module", checkpoint: Checkpoint | None
) -> Callable[[str], Origin | None]:
    """Say where the checkpoint holds what the module has; not where it was cast to another type."""
    weights = module.state_dict()

    def find(name: str) -> Origin | None:
        if checkpoint is None or name not in checkpoint.tensors or name not in weights:
            return None
        same = checkpoint.tensors[name].dtype is dtype_of_torch(weights[name].dtype)
        return checkpoint.find_origin(name) if same else None

    return find


def _checkpoint(options: TorchOptions, folder: Path) -> Checkpoint | None:
    return open_checkpoint((folder / options.weights).absolute()) if options.weights else None


def _open_for(brief: Brief) -> "tuple[torch.nn.Module, Checkpoint | None, tuple[Remark, ...]]":
    """Open the module so that its forward takes the job's inputs."""
    options = _own(brief.options)
    module, checkpoint, remarks = _open(options, brief.folder)
    if options.jagged:
        feed_jagged(module, options.jagged, brief.inputs)
    return module, checkpoint, remarks


def _open(
    options: TorchOptions, folder: Path
) -> "tuple[torch.nn.Module, Checkpoint | None, tuple[Remark, ...]]":
    """Build the module, in eval mode, with its weights mapped from the checkpoint."""
    checkpoint = _checkpoint(options, folder)
    path = folder / options.path
    with importable(path):
        build = load_callable(options.factory, path)

        def factory() -> "torch.nn.Module":
            return _built(build(**options.args), options)

        try:
            module = build_skeleton(factory) if checkpoint else factory()
        except SourceError:
            raise
        except (Exception, SystemExit) as error:
            raise raised(f"factory {options.factory}", error, path) from error
    remarks = load_weights(module, checkpoint) if checkpoint else ()
    return module.eval(), checkpoint, remarks


def _built(module: object, options: TorchOptions) -> "torch.nn.Module":
    import torch

    if isinstance(module, torch.jit.ScriptModule):
        raise SourceError(
            f"factory {options.factory}: returned TorchScript; return the module it was made from"
        )
    if not isinstance(module, torch.nn.Module):
        given = "nothing" if module is None else f"a {type(module).__name__}"
        raise SourceError(f"factory {options.factory}: returned {given}, not a torch.nn.Module")
    return module


SOURCE = Source(
    kind="torch",
    options=TorchOptions,
    files=files,
    split=split,
    answers=answers,
    inspect=inspect,
)
