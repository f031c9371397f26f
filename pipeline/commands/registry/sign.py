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
from pipeline.signer import SIGN, signer
from registry.errors import StoreError
from registry.signing.keyless import Keyless
from registry.signing.signer import Signer, Signs
from registry.signing.token import VARIABLE


def sign(  # noqa: PLR0913 - each is an option of the command
    reference: Ref,
    *,
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"A private key, as PEM; else what {SIGN} names."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of the key, as PEM.")
    ] = None,
    chain: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Certificates up to the root; may be repeated."),
    ] = None,
    keyless: Annotated[
        bool, typer.Option("--keyless", help="By sigstore, as who an identity token says.")
    ] = False,
    token: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=f"With the identity token; else {VARIABLE}, or the CI service's."
        ),
    ] = None,
    instance: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A client's trust configuration, if not the public sigstore's."
        ),
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Sign a version by OpenSSF model-signing; hosts with PIPELINE_TRUST believe only such."""
    if (keyless and key) or ((token or instance) and not keyless):
        raise StoreError("--token and --instance go with --keyless, and --key does not")
    by = Keyless(token, instance) if keyless else _by_key(key, certificate, chain)
    catalog = open_unsigned_catalog(store, endpoint)
    version = catalog.resolve(reference)
    catalog.sign(version.model, version.number, by)
    if as_json:
        console.emit({"model": version.model, "version": version.number, "signed": True})
    else:
        console.say(f"{version.model}@{version.number} is signed with {by}")


def _by_key(key: Path | None, certificate: Path | None, chain: list[Path] | None) -> Signs:
    if key is not None:
        return Signer(key, certificate, tuple(chain or ()))
    if (named := signer()) is None:
        raise StoreError(f"nobody is named who signs. Write --key FILE or --keyless, or set {SIGN}")
    return named
