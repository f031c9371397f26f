"""`pipeline registry search`: find versions by what they are."""

from typing import Annotated

import typer

from pipeline.commands.registry.there import check_there
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.commands.version_text import figures, moment, plain, total
from pipeline.showing import console
from pipeline.showing.progress import size
from registry.searching.fields import FIELDS

Conditions = Annotated[
    list[str],
    typer.Argument(
        metavar="FIELD=VALUE ...",
        help=f"All must hold. Signs: = != > >= < <=; * and ? in values. "
        f"Fields: {', '.join(FIELDS)}.",
    ),
]


def search(
    conditions: Conditions,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Find versions by their fields, such as `target=openvino* created>=2026-11`."""
    catalog = open_catalog(store, endpoint)
    check_there(catalog)
    found = list(catalog.search(conditions))
    if as_json:
        console.emit({"store": catalog.store.url, "versions": list(map(figures, found))})
    elif not found:
        console.say("no version meets all of that")
    else:
        rows = [
            (
                f"{version.model}@{version.number}",
                moment(version.created),
                size(total(version)),
                plain(", ".join(build.target for build in version.builds)),
            )
            for version in found
        ]
        console.show_table(("version", "created", "size", "targets"), rows)
