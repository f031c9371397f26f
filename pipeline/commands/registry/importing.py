"""`pipeline registry import`: make a version of a model that was converted elsewhere."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.registry.arguments import Model
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.commands.version_text import figures, total
from pipeline.showing import console
from pipeline.showing.progress import size
from registry.reference import check_name


def import_(
    model: Model,
    source: Annotated[
        Path, typer.Argument(metavar="PATH", help="An .onnx or .xml file, or its folder.")
    ],
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Publish an ONNX or OpenVINO IR model as it is; nothing is compared, as there is no original.

    It can be shown, served and promoted; `pipeline rollout` refuses it, since it has no recorded
    answers. A model with a job is better off with `pipeline run`.
    """
    from pipeline.adopting.adopt import adopt  # noqa: PLC0415  loads all converters

    catalog = open_catalog(store, endpoint)
    check_name("model", model)
    with tempfile.TemporaryDirectory() as name, console.progress_line("import") as progress:
        draft = adopt(model, source, Path(name))
        version = catalog.publish(draft, Path(name), progress)
    if as_json:
        console.emit(figures(version))
    else:
        console.say(
            f"{version.model}@{version.number}: {len(version.files)} files, {size(total(version))}"
        )
