"""A public key: what its private key has signed counts."""

from pathlib import Path

from registry.require import require
from registry.signing.anchor import AnchorKind, Verifier
from registry.signing.signer import EXTRA

_MARK = b"-----BEGIN PUBLIC KEY-----"


def is_one(data: bytes) -> bool:
    """Look for a key."""
    return _MARK in data


def verifier(path: Path) -> Verifier:
    """Take a PEM file with a public key."""
    config = require("model_signing.verifying", extra=EXTRA).Config()
    made: Verifier = config.use_elliptic_key_verifier(public_key=path)
    return made


KEY = AnchorKind("a public key, as PEM", is_one, verifier)
