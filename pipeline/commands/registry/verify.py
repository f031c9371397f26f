"""`pipeline registry verify`: are the bytes in the store those that were published?"""

from pipeline.commands.registry.arguments import Ref
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.commands.version_text import figures, total
from pipeline.showing import console
from pipeline.showing.progress import size


def verify(
    reference: Ref,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Read all of a version's bytes in the store, and compare their digests."""
    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    with console.progress_line("verify") as progress:
        catalog.verify(version, progress)
    if as_json:
        console.emit(figures(version) | {"intact": True})
    else:
        console.say(
            f"{version.model}@{version.number}: {len(version.files)} files, "
            f"{size(total(version))}, all as published"
        )
