"""`pipeline registry show`: all about a version."""

from pipeline.commands.registry.arguments import Ref
from pipeline.commands.registry.versions_table import list_versions
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.commands.version_text import describe
from pipeline.showing import console


def show(
    reference: Ref,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show a version: its inputs, parts, targets, parity and origin; of MODEL, all versions too."""
    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    if as_json:
        console.emit(version.model_dump(mode="json", by_alias=True))
        return
    console.say(describe(version))
    if "@" not in reference:
        console.say("")
        list_versions(catalog, version.model, as_json=False)
