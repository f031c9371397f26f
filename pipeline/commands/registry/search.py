"""`pipeline registry search`: find versions by what they are."""

from typing import Annotated

import typer
from pydantic import JsonValue

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
from registry.errors import IntegrityError
from registry.manifest import Version
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
    """Find versions by their fields, such as `target=openvino* created>=2026-11`.

    A version that is damaged is passed over, and told at the end, with exit code 17.
    """
    catalog = open_catalog(store, endpoint)
    check_there(catalog)
    damage: list[IntegrityError] = []
    found = list(catalog.search(conditions, tell=damage.append))
    if as_json:
        told: dict[str, JsonValue] = {"store": catalog.store.url}
        damaged: list[JsonValue] = [str(one) for one in damage]
        console.emit(told | {"versions": list(map(figures, found)), "damaged": damaged})
    else:
        _say(found)
    if damage:
        raise IntegrityError("\n".join(f"passed over: {one}" for one in damage))


def _say(found: list[Version]) -> None:
    if not found:
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
