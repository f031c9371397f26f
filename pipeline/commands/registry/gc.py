"""`pipeline registry gc`: let old versions go, and remove the bytes that nothing needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import typer
from pydantic import JsonValue

from pipeline.commands.finite import MOST_DAYS, finite
from pipeline.commands.registry.there import check_there
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.showing import console
from pipeline.showing.progress import size
from pipeline.who import who
from registry.catalog import Catalog
from registry.cleaning.retention import Rule
from registry.cleaning.sweep import Garbage, Swept
from registry.store.store import Entry

KeepLast = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Remove versions, but for the N newest of a model ..."),
]
KeepServed = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=MOST_DAYS,
        metavar="DAYS",
        help="... and those that a channel pointed to within so many days; left out: ever.",
    ),
]
Grace = Annotated[
    float,
    typer.Option(
        callback=finite,
        min=0.05,
        max=MOST_DAYS,
        metavar="DAYS",
        help="Keep bytes so long after their version was removed.",
    ),
]
Apply = Annotated[bool, typer.Option("--apply", help="Do it. Else it is only shown.")]


@dataclass(frozen=True)
class Found:
    """What may go: versions by the rule, and blobs."""

    versions: tuple[tuple[str, int], ...]
    garbage: Garbage


def gc(  # noqa: PLR0913 - each is an option of the command
    *,
    keep_last: KeepLast = None,
    keep_served: KeepServed = None,
    grace: Grace = 7.0,
    apply: Apply = False,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show what the store need not keep; with --apply, remove it.

    What a channel points to or a tag names stays in any case. Publishing may go on meanwhile.
    """
    catalog = open_catalog(store, endpoint)
    check_there(catalog)
    versions = _by_rule(catalog, keep_last, keep_served)
    if apply:
        for model, number in versions:
            catalog.remove(model, number, who=who(), why=_reason(keep_last, keep_served))
    sweeper = catalog.sweeper(timedelta(days=grace))
    with console.progress_line("mark"):
        garbage = sweeper.find()
    swept = None
    if apply:
        with console.progress_line("sweep") as progress:
            swept = sweeper.sweep(garbage, progress)
    found = Found(versions, garbage)
    if as_json:
        console.emit(_record(found, swept))
    else:
        _say(found, swept, grace)


def _by_rule(
    catalog: Catalog, last: int | None, served_days: int | None
) -> tuple[tuple[str, int], ...]:
    if last is None:
        return ()
    rule = Rule(last, None if served_days is None else timedelta(days=served_days))
    return tuple(
        (model, number) for model in catalog.models() for number in catalog.let_go(model, rule)
    )


def _reason(last: int | None, served_days: int | None) -> str:
    served = "ever" if served_days is None else f"within {served_days} days"
    return f"not among the {last} newest, nor in a channel {served}"


def _record(found: Found, swept: Swept | None) -> dict[str, JsonValue]:
    names: list[JsonValue] = [
        {"model": model, "version": number} for model, number in found.versions
    ]
    garbage = found.garbage
    return {
        "applied": swept is not None,
        "versions": names,
        "garbage": _sum(garbage.blobs),
        "young": _sum(garbage.young),
        "needed": _sum(garbage.needed),
        "removed": None if swept is None else {"blobs": swept.blobs, "bytes": swept.bytes},
        "spared": None if swept is None else swept.spared,
        "left_overs": None if swept is None else swept.left_overs,
    }


def _sum(entries: Sequence[Entry]) -> dict[str, JsonValue]:
    return {"blobs": len(entries), "bytes": sum(entry.size for entry in entries)}


def _say(found: Found, swept: Swept | None, grace: float) -> None:
    done = swept is not None
    for model, number in found.versions:
        console.say(f"{model}@{number} {'is' if done else 'would be'} removed")
    garbage = found.garbage
    console.say(f"needed   {_words(garbage.needed)}")
    console.say(f"waiting  {_words(garbage.young)}, until {grace:g} days have passed")
    if swept is None:
        console.say(f"garbage  {_words(garbage.blobs)}")
        console.say("Nothing was changed. To do it, add --apply")
        return
    console.say(f"removed  {swept.blobs} blobs, {size(swept.bytes)}")
    if swept.spared:
        console.say(f"spared   {swept.spared} blobs that came to be needed, or next time")
    if swept.left_overs:
        console.say(f"tidied   {swept.left_overs} leftovers of processes that died")


def _words(entries: Sequence[Entry]) -> str:
    return f"{len(entries)} blobs, {size(sum(entry.size for entry in entries))}"
