"""`pipeline rollout`: take a version live."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.live import Where, take_live


def rollout(  # noqa: PLR0913 - each is an option of the command
    version: Annotated[str, typer.Argument(help="MODEL@7, MODEL@channel, or the newest MODEL.")],
    *,
    to: Annotated[str, typer.Option(help="The environment.")] = "local",
    store: Annotated[str, typer.Option(help="A folder or s3://bucket/prefix.")] = "store",
    endpoint: Annotated[str | None, typer.Option(help="Of an S3-compatible service.")] = None,
    channel: Annotated[str, typer.Option(help="What servers follow.")] = "production",
    why: Annotated[str, typer.Option(help="For the channel's history.")] = "rollout",
    target: Annotated[str | None, typer.Option(help="The build to prove.")] = None,
    cache: Annotated[Path, typer.Option(help="Where versions are kept.")] = Path(".pipeline"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Prove that a version works, point the channel at it, and wait until it answers.

    The version before serves until then. Where anything is wrong the channel stays, or
    goes back, to where it was.
    """
    where = Where(to, store, endpoint, channel, target, cache)
    take_live(where, lambda catalog: catalog.resolve(version), why, as_json=as_json)
