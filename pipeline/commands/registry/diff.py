"""`pipeline registry diff`: what two versions differ in."""

from collections.abc import Iterator
from typing import Annotated

import typer

from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.commands.version_text import plain
from pipeline.showing import console
from pipeline.showing.progress import size
from registry.comparing.difference import Difference, ParityChange, TableChange
from registry.web.words import error_text, latency

Before = Annotated[str, typer.Argument(metavar="REF", help="MODEL, MODEL@7 or MODEL@CHANNEL.")]
After = Annotated[str, typer.Argument(metavar="REF", help="The version to compare it with.")]


def diff(
    before: Before,
    after: After,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Compare two versions: graphs, tables by rows, parity, speed, sizes, toolchains, the job."""
    catalog = open_catalog(store, endpoint)
    found = catalog.diff(catalog.resolve(before), catalog.resolve(after))
    if as_json:
        console.emit(found.model_dump(mode="json"))
        return
    for line in _lines(found):
        console.say(plain(line))


def _lines(found: Difference) -> Iterator[str]:
    yield f"{found.before} -> {found.after}"
    yield "both answer from the same bytes" if found.same else f"to fetch: {size(found.moved)}"
    for fact in found.facts:
        yield f"{fact.what}: {fact.before or 'none'} -> {fact.after or 'none'}"
    for table in found.tables:
        yield f"table {table.table}: {_table(table)}"
    for graph in found.graphs:
        counts = (f"{name} {one} -> {two}" for name, (one, two) in graph.operators.items())
        yield f"graph {graph.part}: {_graph(graph.same, ', '.join(counts))}"
    for parity in found.parity:
        yield f"parity {parity.target} {parity.kind}: {_errors(parity)}"
    for speed in found.speeds:
        p50, p95 = (" -> ".join(map(latency, one)) for one in (speed.p50, speed.p95))
        yield f"speed {speed.target}, batch {speed.batch}: p50 {p50}, p95 {p95}"
    for file in found.files:
        sizes = ("none" if one is None else size(one) for one in (file.before, file.after))
        yield f"file {file.name}: {' -> '.join(sizes)}"
    if found.job:
        yield "job:"
        yield from (f"  {line}" for line in found.job)


def _graph(same: bool, counts: str) -> str:  # noqa: FBT001  of one call
    if same:
        return "the same file"
    return counts or "another file with the same operators"


def _errors(parity: ParityChange) -> str:
    before, after = map(error_text, (parity.before, parity.after))
    if parity.after is None:
        return f"{before} of what may be -> none"
    return f"{before} -> {after} of what may be"


def _table(table: TableChange) -> str:
    if table.before is None:
        return f"none -> {table.after} rows, {size(table.bytes)} new"
    if table.after is None:
        return f"{table.before} rows -> none"
    rows = f"{table.before} -> {table.after} rows"
    both = min(table.before, table.after)
    changed = "of another kind" if table.changed is None else f"{table.changed} of {both} changed"
    return f"{rows}, {changed}, {size(table.bytes)} new"
