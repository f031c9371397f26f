"""`pipeline rollback`: go back to the version before."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.live import Where, take_live
from registry.catalog import Catalog
from registry.manifest import Version
from targets.rollout.previous import previous_version


def rollback(  # noqa: PLR0913 - each is an option of the command
    model: Annotated[str, typer.Argument(help="The model's name.")],
    *,
    to: Annotated[int | None, typer.Option(min=1, help="A version; else the one before.")] = None,
    environment: Annotated[str, typer.Option("--in", help="The environment.")] = "local",
    store: Annotated[str, typer.Option(help="A folder or s3://bucket/prefix.")] = "store",
    endpoint: Annotated[str | None, typer.Option(help="Of an S3-compatible service.")] = None,
    channel: Annotated[str, typer.Option(help="What servers follow.")] = "production",
    why: Annotated[str, typer.Option(help="For the channel's history.")] = "rollback",
    target: Annotated[str | None, typer.Option(help="The build to prove.")] = None,
    cache: Annotated[Path, typer.Option(help="Where versions are kept.")] = Path(".pipeline"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Point the channel at the version that was live before, and wait until it answers.

    It is proven as in a rollout. Going back twice goes back two versions.
    """

    def find(catalog: Catalog) -> Version:
        number = to or previous_version(catalog.history(model, channel))
        return catalog.version(model, number)

    where = Where(environment, store, endpoint, channel, target, cache)
    take_live(where, find, why, as_json=as_json)
