"""Who signs, in one line of text: for the environment of a host."""

import os
from pathlib import Path

from registry.errors import StoreError
from registry.signing.keyless import Keyless
from registry.signing.signer import Signer, Signs

#: In place of a key's file: who an identity token says one is.
SIGSTORE = "sigstore"


def named_signer(text: str) -> Signs:
    """Read `KEY`, `KEY:CERTIFICATE:CHAIN…`, `sigstore` or `sigstore:INSTANCE`.

    Raises:
        StoreError: It is none of these.
    """
    first, *rest = text.split(os.pathsep)
    if not all((first, *rest)) or (first == SIGSTORE and len(rest) > 1):
        raise StoreError(
            f"signer {text!r}: write KEY, KEY:CERTIFICATE:CHAIN, {SIGSTORE} or {SIGSTORE}:FILE"
        )
    if first == SIGSTORE:
        return Keyless(instance=Path(rest[0]) if rest else None)
    certificates = tuple(map(Path, rest))
    return Signer(Path(first), certificates[0] if certificates else None, certificates[1:])
