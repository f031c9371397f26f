"""`pipeline rollout`: take a version live."""

from typing import Annotated

import typer

from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.live import Where, take_live
from pipeline.commands.serving_options import Channel, Environment, Target, Why
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl


def rollout(  # noqa: PLR0913 - each is an option of the command
    version: Annotated[
        str, typer.Argument(metavar="REF", help="MODEL@7, MODEL@channel, or the newest MODEL.")
    ],
    *,
    environment: Environment = "local",
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    channel: Channel = "production",
    why: Why = "rollout",
    target: Target = None,
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Prove that a version works, point the channel at it, and wait until it answers.

    The version before serves until then. Where anything is wrong the channel stays, or
    goes back, to where it was.
    """
    where = Where(environment, store, endpoint, channel, target, home)
    take_live(where, lambda catalog: catalog.resolve(version), why, as_json=as_json)
