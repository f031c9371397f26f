"""`pipeline registry trust`: whose signatures count, as a store itself says."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.registry.arguments import Why
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_unsigned_catalog,
)
from pipeline.commands.version_text import moment, plain
from pipeline.showing import console
from pipeline.who import who
from registry.errors import StoreError
from registry.signing.anchors import read_anchor
from registry.signing.identity_anchor import write_identity
from registry.signing.policy import PIN, Policy, read_policy, set_policy

trust = typer.Typer(
    help="Say whose signatures count for a store; hosts pin that in PIPELINE_TRUST.",
    no_args_is_help=True,
    add_completion=False,
)


@trust.command("show")
def show(
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show the policy of a store, and its digest, which hosts may pin."""
    _tell(read_policy(open_unsigned_catalog(store, endpoint).store), as_json=as_json)


@trust.command("set")
def set_(  # noqa: PLR0913 - each is an option of the command
    *,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A public key or an authority's certificate, as PEM, or an identity; repeatable.",
        ),
    ] = None,
    identity: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Who signs by sigstore: an e-mail address, a workflow's URL."
        ),
    ] = None,
    issuer: Annotated[
        str | None, typer.Option(metavar="URL", help="The provider that knows the identity.")
    ] = None,
    instance: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A trusted_root.json, if not the public sigstore's."),
    ] = None,
    moves: Annotated[
        bool, typer.Option("--moves", help="Believe no moves of channels and tags without, too.")
    ] = False,
    nobody: Annotated[
        bool, typer.Option("--nobody", help="In place of keys: ask for no signature any more.")
    ] = False,
    why: Why,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Make these keys those that count, in place of all before. Who may write may set another."""
    if bool(key or identity or issuer or instance) == nobody:
        raise StoreError(
            "no keys are named. Write --key FILE, once for each, or --identity and --issuer, "
            "or --nobody"
        )
    keys = tuple(map(read_anchor, key or ()))
    if identity or issuer or instance:
        if not identity or not issuer:
            raise StoreError("an identity takes --identity NAME and --issuer URL, both")
        keys = (*keys, write_identity(identity, issuer, instance))
    place = open_unsigned_catalog(store, endpoint).store
    _tell(set_policy(place, keys, who=who(), why=why, moves=moves), as_json=as_json)


def _tell(policy: Policy | None, *, as_json: bool) -> None:
    if as_json:
        told = policy.model_dump(mode="json") | {"pin": PIN + policy.digest} if policy else None
        console.emit({"policy": told})
    elif policy is None:
        console.say("the store has no policy: all versions count")
    else:
        console.say(f"policy {policy.number}, by {plain(policy.who)}, {moment(policy.when)}")
        console.say(f"why    {plain(policy.why)}")
        console.say(f"keys   {len(policy.keys) or 'none: all versions count'}")
        if policy.moves:
            console.say("moves  of channels, and tags, count only with a signature of these")
        for text in policy.keys:
            console.say("\n".join(map(plain, text.strip().splitlines())))
        console.say(f"pin    PIPELINE_TRUST={PIN}{policy.digest}")
