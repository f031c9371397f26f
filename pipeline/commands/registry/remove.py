"""`pipeline registry rm`: take a version out of use."""

from pipeline.commands.registry.arguments import Ref, Why
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.showing import console
from pipeline.who import who
from registry.errors import StoreError
from registry.reference import parse_reference


def rm(
    reference: Ref,
    *,
    why: Why,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Take a version out of use. What it was stays readable; its bytes go with a later `gc`."""
    wanted = parse_reference(reference)
    if wanted.number is None:
        raise StoreError(f"{reference!r} names no single version. Write MODEL@7")
    catalog = open_catalog(store, endpoint)
    removal = catalog.remove(wanted.model, wanted.number, who=who(), why=why)
    if as_json:
        console.emit({"model": wanted.model} | removal.model_dump(mode="json"))
    else:
        console.say(
            f"{reference} is removed. Its bytes go when the grace period is over: "
            "pipeline registry gc --apply"
        )
