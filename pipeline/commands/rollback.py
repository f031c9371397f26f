"""`pipeline rollback`: go back to the version before."""

from typing import Annotated

import typer

from pipeline.commands.live import Where, take_live
from pipeline.commands.serving_options import DEFAULT_CACHE, Cache, Channel, Target, Why
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl
from registry.catalog import Catalog
from registry.manifest import Version
from targets.rollout.previous import previous_version


def rollback(  # noqa: PLR0913 - each is an option of the command
    model: Annotated[str, typer.Argument(help="The model's name.")],
    *,
    to: Annotated[int | None, typer.Option(min=1, help="A version; else the one before.")] = None,
    environment: Annotated[str, typer.Option("--in", help="The environment.")] = "local",
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    channel: Channel = "production",
    why: Why = "rollback",
    target: Target = None,
    cache: Cache = DEFAULT_CACHE,
    as_json: AsJson = False,
) -> None:
    """Point the channel at the version that was live before, and wait until it answers.

    It is proven as in a rollout. Going back twice goes back two versions.
    """

    def find(catalog: Catalog) -> Version:
        number = to or previous_version(catalog.history(model, channel))
        return catalog.version(model, number)

    where = Where(environment, store, endpoint, channel, target, cache)
    take_live(where, find, why, as_json=as_json)
