"""`pipeline registry promote`: point a channel at a version."""

from pipeline.commands.registry.arguments import Ref, Why
from pipeline.commands.registry.moved import show_move
from pipeline.commands.serving_options import Channel
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.who import who


def promote(
    reference: Ref,
    *,
    channel: Channel,
    why: Why,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Point a channel at a version, unproven; `pipeline rollout` proves it first."""
    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    before = catalog.last_move(version.model, channel)
    move = catalog.move(version.model, channel, version.number, who=who(), why=why)
    show_move(version.model, move, already=move == before, as_json=as_json)
