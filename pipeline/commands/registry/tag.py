"""`pipeline registry tag`: name a version for good, or list the names."""

from typing import Annotated

import typer

from pipeline.commands.registry.arguments import Ref
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.commands.version_text import moment, plain
from pipeline.showing import console
from pipeline.who import who
from registry.catalog import Catalog
from registry.errors import StoreError
from registry.reference import parse_reference


def tag(
    reference: Ref,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The tag; else list all.")
    ] = None,
    *,
    why: Annotated[str | None, typer.Option(metavar="TEXT", help="The reason.")] = None,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Give a version a name that never moves and keeps it from `gc`; or list a model's tags."""
    catalog = open_catalog(store, endpoint)
    if name is None:
        _list(catalog, parse_reference(reference).model, as_json=as_json)
        return
    if why is None or not why.strip():
        raise StoreError(f"tag {name!r}: say why it is given, for those who find it. Add --why")
    version = catalog.resolve(reference)
    given = catalog.tag(version.model, name, version.number, who=who(), why=why)
    if as_json:
        console.emit({"model": version.model} | given.model_dump(mode="json"))
    else:
        console.say(f"{version.model}@{given.name} is version {given.version} for good")


def _list(catalog: Catalog, model: str, *, as_json: bool) -> None:
    tags = catalog.tags(model)
    if as_json:
        console.emit({"model": model, "tags": [tag.model_dump(mode="json") for tag in tags]})
        return
    if not tags:
        catalog.resolve(model)  # says what is missing
        console.say(f"{model} has no tags")
        return
    rows = [(tag.name, str(tag.version), moment(tag.when), tag.who, tag.why) for tag in tags]
    header = ("tag", "version", "when", "who", "why")
    console.show_table(header, [tuple(map(plain, row)) for row in rows])
