"""`pipeline rollback`: go back to the version before."""

from typing import Annotated

import typer

from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.live import Where, take_live
from pipeline.commands.serving_options import Channel, Earlier, Environment, Target, Why
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl
from registry.catalog import Catalog
from registry.manifest import Version
from targets.rollout.previous import previous_version


def rollback(  # noqa: PLR0913 - each is an option of the command
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model's name.")],
    *,
    version: Earlier = None,
    environment: Environment = "local",
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    channel: Channel = "production",
    why: Why = "rollback",
    target: Target = None,
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Point the channel at the version that was live before, and wait until it answers.

    It is proven as in a rollout. Going back twice goes back two versions.
    """

    def find(catalog: Catalog) -> Version:
        number = version or previous_version(f"{model}@{channel}", catalog.history(model, channel))
        return catalog.version(model, number)

    where = Where(environment, store, endpoint, channel, target, home)
    take_live(where, find, why, as_json=as_json)
