"""`pipeline init`: write a job by looking at a model."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from converters.brief import Inspection
from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.store_options import DEFAULT_STORE, AsJson
from pipeline.fetching.weights import SCHEME, fetch_of_source
from pipeline.home import whole
from pipeline.job.fitting import fit_samples
from pipeline.job.load import load_job
from pipeline.job.look import look
from pipeline.job.sample_files import open_samples
from pipeline.job.sketch import Given, sketch, slug
from pipeline.showing import console
from pipeline.showing.progress import counted
from registry.errors import JobError
from registry.progress import silent

#: Names of files and callables that tell nothing of the model.
_USUAL_STEMS = ("model", "saved_model", "program", "export", "exported")
_USUAL_MAKERS = ("", "build", "make", "create", "model")


def init(  # noqa: PLR0913  one a command-line option
    *,
    factory: Annotated[
        str | None,
        typer.Option(metavar="MODULE:CALLABLE", help="Builds a torch module. Its code is run."),
    ] = None,
    onnx: Annotated[Path | None, typer.Option(metavar="FILE", help="An ONNX file.")] = None,
    program: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file of torch.export.save.")
    ] = None,
    torchscript: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file of torch.jit.save.")
    ] = None,
    path: Annotated[
        Path, typer.Option(metavar="FOLDER", help="To import the factory from.")
    ] = Path(),
    args: Annotated[
        str, typer.Option(metavar="JSON", help="The factory's keyword arguments.")
    ] = "{}",
    weights: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="The factory's checkpoint.")
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(
            "--weights-endpoint", metavar="URL", help="Of s3:// weights, if it is not AWS."
        ),
    ] = None,
    samples: Annotated[Path | None, typer.Option(metavar="FILE", help="Recorded inputs.")] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model's name in the registry.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The job file to write.")] = Path(
        "job.yaml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the job file.")] = False,
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Write a commented job by looking at a model: inputs, tables, sensible defaults.

    Name the model by one of --factory, --onnx, --program and --torchscript.
    """
    sources = {"torch": factory, "onnx": onnx, "program": program, "torchscript": torchscript}
    named = {kind: given for kind, given in sources.items() if given is not None}
    if len(named) != 1:
        raise typer.BadParameter(
            "name the model by one of --factory, --onnx, --program, --torchscript"
        )
    if out.exists() and not force:
        raise JobError(f"{out}: it is there already. Add --force to overwrite it")
    if not path.is_dir():
        raise JobError(f"--path {path}: there is no such folder")
    ((kind, what),) = named.items()
    source: dict[str, JsonValue] = {"kind": kind}
    if isinstance(what, Path):
        source["file"] = _beside(what, out)
    else:
        source |= {"factory": what, "path": _beside(path, out), "args": _arguments(args)}
        source |= _weights(weights, endpoint, out)
    name = _name_of_file(what) if isinstance(what, Path) else _name(what)
    file, held = (_beside(samples, out), open_samples(samples).names) if samples else (None, ())
    store = _beside(Path(DEFAULT_STORE), out)
    given = Given(_printable(out.name), model or slug(name), source, file, held, store)
    _write(out, given, whole(home), as_json=as_json)


def _write(out: Path, given: Given, home: Path, *, as_json: bool) -> None:
    """Look, write, and show at once what the writer has to mend."""
    out.parent.mkdir(parents=True, exist_ok=True)
    seen = look(given, out.parent, lambda source: fetch_of_source(source, home, silent))
    out.write_text(sketch(given, seen), encoding="utf-8")
    if not as_json:
        counts = (counted(len(seen.inputs), "input"), counted(len(seen.tables), "table"))
        console.say(f"{out}: {', '.join(counts)}")
    for oddity in fit_samples(load_job(out), out).odd:
        console.note(oddity)
    if as_json:
        console.emit(_record(out, given, seen))
        return
    console.say(f"Read what was guessed of the inputs, then: pipeline run {out}")


def _record(out: Path, given: Given, seen: Inspection) -> dict[str, JsonValue]:
    return {
        "job": str(out),
        "model": given.model,
        "inputs": [{"name": one.name, "guessed": said} for one, said in seen.inputs],
        "outputs": list(seen.outputs),
        "tables": [{"name": name, "rows": rows, "dim": dim} for name, rows, dim in seen.tables],
    }


def _name(factory: str) -> str:
    """Name a model after its callable, or after its module where all callables have that name."""
    module, _, made_by = factory.partition(":")
    return (module if made_by in _USUAL_MAKERS else made_by).rpartition(".")[2]


def _name_of_file(file: Path) -> str:
    """Name a model after its file, or after its folder where all files have that name."""
    return file.resolve().parent.name if file.stem.lower() in _USUAL_STEMS else file.stem


def _weights(weights: str | None, endpoint: str | None, out: Path) -> dict[str, JsonValue]:
    if weights is None:
        return {}
    if not weights.startswith(SCHEME):
        return {"weights": _beside(Path(weights), out)}
    found: dict[str, JsonValue] = {"weights": weights}
    return {**found, "endpoint": endpoint} if endpoint else found


def _printable(name: str) -> str:
    return name.encode(errors="replace").decode()


def _beside(path: Path, out: Path) -> str:
    """Make a path relative to the job file, which is what a job's paths are."""
    text = Path(os.path.relpath(path, out.parent)).as_posix()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise JobError(f"{text!a}: not UTF-8, so no job file can name it. Rename it") from error
    return text


def _arguments(text: str) -> dict[str, JsonValue]:
    try:
        arguments = json.loads(text)
    except json.JSONDecodeError as error:
        raise JobError(f"--args {text}: not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise JobError(f"--args {text}: not an object; write '{{\"dim\": 8}}'")
    return arguments
