"""`pipeline predict`: answer inputs from a file with a version."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from pydantic import JsonValue

from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.serving_options import Target, Threads
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.home import open_home
from pipeline.job.cast import exact
from pipeline.job.columns import numbered
from pipeline.job.job import Samples
from pipeline.job.sample_files import SampleFile, open_samples
from pipeline.job.samples import read_samples
from pipeline.showing import console
from pipeline.showing.progress import amount
from registry.errors import InputError, ResourceError, SourceError
from registry.manifest import Draft

#: More rows than a file has.
_ALL = 1 << 40


def predict(  # noqa: PLR0913 - each is an option of the command
    reference: Annotated[
        str, typer.Argument(metavar="REF", help="MODEL, MODEL@7 or MODEL@CHANNEL.")
    ],
    *,
    inputs: Annotated[
        Path, typer.Option("--input", metavar="FILE", help="An npz, parquet or csv file.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An npz file for the answers.")
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    target: Target = None,
    threads: Threads = 0,
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Pull and verify a version, check this host against its contract, and answer.

    Where only a toolchain has the runtime, it is done in there.
    """
    from pipeline.toolchains.enter import enter  # noqa: PLC0415  reads tables of runtimes
    from targets.predictor import open_predictor  # noqa: PLC0415  loads a runtime
    from targets.serving.answer import answer_rows  # noqa: PLC0415
    from targets.serving.build import choose_build  # noqa: PLC0415
    from targets.serving.fetch import fetch, folder_of  # noqa: PLC0415
    from targets.serving.kept import Hold  # noqa: PLC0415

    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    enter(version, target)
    arrays = read_inputs(inputs, version)
    build = choose_build(version, target)
    place = open_home(home)
    with Hold(folder_of(version, place)):
        with console.progress_line("pull") as progress:
            folder = fetch(catalog, version, place, progress)
        predictor = open_predictor(folder, version, build.target, threads=threads)
    runtime = predictor.in_force()["runtime"]
    try:
        answers = answer_rows(predictor, arrays)
    except InputError as error:
        raise InputError(f"{inputs}: {error}") from error
    finally:
        predictor.close()
    if out:
        _write(out, answers)
    title: dict[str, JsonValue] = {
        "model": version.model,
        "version": version.number,
        "target": build.target,
        "runtime": runtime,
    }
    if as_json:
        console.emit(title | {"outputs": {n: _figures(a) for n, a in answers.items()}})
        return
    console.say(f"{version.model} {version.number} on {build.target} ({runtime})")
    for name, array in answers.items():
        console.say(_line(name, array))
    if out:
        console.say(f"written to {out} ({amount(out.stat().st_size, 'bytes')})")


def read_inputs(path: Path, draft: Draft) -> dict[str, np.ndarray]:
    """Read a version's inputs from a file, which may hold labels and the like as well.

    There may be more rows than a batch has. Columns `x_0`, `x_1`, … of a table make up `x`.

    Raises:
        InputError: With every fault of the file.
    """
    from targets.inputs import check_inputs  # noqa: PLC0415

    try:
        file = open_samples(path)
        read = _read_arrays if path.suffix.lower() == ".npz" else _read_columns
        taken = read(path, file, draft)
    except SourceError as error:
        raise InputError(str(error)) from error
    try:
        check_inputs(taken, draft.inputs, {})
    except InputError as error:
        raise InputError(f"{path}: {error}. The model is {draft.signature}") from error
    return taken


def _read_arrays(path: Path, file: SampleFile, draft: Draft) -> dict[str, np.ndarray]:
    dtypes = {tensor.name: tensor.dtype.value for tensor in draft.inputs}
    _note_extra(path, [name for name in file.names if name not in dtypes])
    found = file.read([name for name in file.names if name in dtypes], _ALL)
    return {name: _cast(f"{path}: `{name}`", some, dtypes[name]) for name, some in found.items()}


def _read_columns(path: Path, file: SampleFile, draft: Draft) -> dict[str, np.ndarray]:
    names = [tensor.name for tensor in draft.inputs]
    columns = {name: some for name, some in numbered(file.names).items() if name in names}
    read = {*names, *(column for some in columns.values() for column in some)}
    _note_extra(path, [name for name in file.names if name not in read])
    samples = Samples(file=path.name, columns=columns, rows=_ALL)
    return read_samples(samples, draft.inputs, path.parent, held=False).inputs


def _note_extra(path: Path, names: list[str]) -> None:
    if names:
        console.note(f"{path}: left out {', '.join(names)}: the model has no such input")


def _cast(where: str, array: np.ndarray, dtype: str) -> np.ndarray:
    """Take numbers of the same kind in the wanted element type; leave others as they are."""
    if np.can_cast(array.dtype, dtype, "same_kind"):
        return exact(where, array, np.dtype(dtype))
    return array


def _write(path: Path, answers: Mapping[str, np.ndarray]) -> None:
    if path.exists() and not path.is_file():
        raise ResourceError(f"{path}: cannot be written: not a file. Name an npz file")
    try:
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, **answers)
    except OSError as error:
        raise ResourceError(f"{path} cannot be written: {error}") from error


def _figures(array: np.ndarray) -> dict[str, JsonValue]:
    figures: dict[str, JsonValue] = {"dtype": str(array.dtype), "shape": list(array.shape)}
    if array.size:
        figures |= {
            "min": float(array.min()),
            "max": float(array.max()),
            "mean": float(array.mean()),
        }
    return figures


def _line(name: str, array: np.ndarray) -> str:
    shown = ", ".join(f"{value:g}" for value in array.ravel()[:4].astype(float))
    more = ", ..." if array.size > 4 else ""
    return f"{name}: {array.dtype}{list(array.shape)} [{shown}{more}]"
