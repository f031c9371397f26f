"""`pipeline registry sign`: vouch for a version."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.registry.arguments import Ref
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_unsigned_catalog,
)
from pipeline.showing import console
from registry.signing.signer import Signer


def sign(  # noqa: PLR0913 - each is an option of the command
    reference: Ref,
    *,
    key: Annotated[Path, typer.Option(metavar="FILE", help="A private key, as PEM.")],
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of the key, as PEM.")
    ] = None,
    chain: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Certificates up to the root; may be repeated."),
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Sign a version by OpenSSF model-signing; hosts with PIPELINE_TRUST believe only such."""
    catalog = open_unsigned_catalog(store, endpoint)
    version = catalog.resolve(reference)
    catalog.sign(version.model, version.number, Signer(key, certificate, tuple(chain or ())))
    if as_json:
        console.emit({"model": version.model, "version": version.number, "signed": True})
    else:
        console.say(f"{version.model}@{version.number} is signed with {certificate or key}")
