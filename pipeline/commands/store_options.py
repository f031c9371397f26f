"""The options by which commands are told of a store: the same everywhere."""

import os
from pathlib import Path
from typing import Annotated

import typer

from pipeline.signer import signer
from pipeline.toolchains.entered import entered_from
from registry.catalog import Catalog
from registry.signing.policy import PIN, PolicyTrust
from registry.signing.trust import Believer, Trust
from registry.store import open_store

#: Where the example jobs push to.
DEFAULT_STORE = ".pipeline/store"

StoreUrl = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="PIPELINE_STORE",
        metavar="URL",
        help="A folder or s3://bucket/prefix.",
    ),
]
Endpoint = Annotated[
    str | None,
    typer.Option(
        envvar="PIPELINE_ENDPOINT", metavar="URL", help="Of an S3-compatible service, if not AWS."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


#: Names files of anchors, or the digest of a store's own policy: versions that none of them vouches
#: for are refused on this host.
TRUST = "PIPELINE_TRUST"

#: Whether moves of channels, and tags, are refused likewise where the above names files.
TRUST_MOVES = "PIPELINE_TRUST_MOVES"


def open_catalog(store: str, endpoint: str | None) -> Catalog:
    """Open the catalog that the options name, which believes whom this host or the store trusts."""
    return Catalog(open_store(store, endpoint=endpoint), _trust(), _cache(), signer())


def open_unsigned_catalog(store: str, endpoint: str | None) -> Catalog:
    """Open the same for who is about to sign what is in it."""
    return Catalog(open_store(store, endpoint=endpoint))


def _trust() -> Believer:
    """Take whom this host trusts; where it names nobody, or the policy of a store, take that."""
    told = os.environ.get(TRUST, "")
    if not told or told.startswith(PIN):
        return PolicyTrust(told.removeprefix(PIN) or None, elsewhere=entered_from())
    anchors = tuple(Path(name) for name in told.split(os.pathsep) if name)
    is_strict = os.environ.get(TRUST_MOVES, "").lower() in {"1", "true", "yes"}
    return Trust(anchors, elsewhere=entered_from(), moves=is_strict)


def _cache() -> Path | None:
    """Name the file in which this user's host keeps what it has read of stores."""
    told = os.environ.get("XDG_CACHE_HOME")
    try:
        root = Path(told) if told else Path.home() / ".cache"
    except RuntimeError:  # a container without a user
        return None
    return root / "model-pipeline" / "stores.sqlite"
