"""`pipeline registry rollback`: point a channel back."""

from pipeline.commands.registry.arguments import Model
from pipeline.commands.registry.moved import show_move
from pipeline.commands.serving_options import Channel, Earlier, Why
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.who import who


def rollback(  # noqa: PLR0913 - each is an option of the command
    model: Model,
    *,
    version: Earlier = None,
    channel: Channel = "production",
    why: Why = "rollback",
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Point a channel at the version before, unproven; `pipeline rollback` proves it first."""
    from targets.rollout.previous import previous_version  # noqa: PLC0415  brings the server

    catalog = open_catalog(store, endpoint)
    before = catalog.last_move(model, channel)
    if before is None:
        catalog.resolve(f"{model}@{channel}")  # says what is missing
    history = catalog.history(model, channel)
    number = version or previous_version(f"{model}@{channel}", history)
    move = catalog.move(model, channel, number, who=who(), why=why)
    show_move(model, move, already=move == before, as_json=as_json)
