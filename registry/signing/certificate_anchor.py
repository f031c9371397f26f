"""An authority's certificate: what was signed with certificates that it gave out counts."""

from pathlib import Path

from registry.require import require
from registry.signing.anchor import AnchorKind, Verifier
from registry.signing.signer import EXTRA

_MARK = b"-----BEGIN CERTIFICATE-----"


def is_one(data: bytes) -> bool:
    """Look for a certificate."""
    return _MARK in data


def verifier(path: Path) -> Verifier:
    """Take a PEM file with the certificates of authorities."""
    config = require("model_signing.verifying", extra=EXTRA).Config()
    made: Verifier = config.use_certificate_verifier(certificate_chain=[path])
    return made


CERTIFICATE = AnchorKind("a certificate, as PEM", is_one, verifier)
