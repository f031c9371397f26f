"""Why signatures do not count, by OpenSSF model-signing."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from registry.require import require
from registry.signing.signer import EXTRA, laid_out

CERTIFICATE, KEY = b"-----BEGIN CERTIFICATE-----", b"-----BEGIN PUBLIC KEY-----"


class _Verifier(Protocol):
    def verify(self, model_path: Path, signature_path: Path) -> None: ...


@dataclass(frozen=True)
class Question:
    """Do these vouch for a commit object?

    Attributes:
        anchors: PEM files; each holds a certificate or a public key.
    """

    commit: bytes
    signatures: tuple[bytes, ...]
    anchors: tuple[Path, ...]


def faults_of(question: Question) -> tuple[str | None, ...]:
    """Say of each signature, and of it each anchor, why it does not count; None where it does.

    Raises:
        MissingExtraError: model-signing is not installed.
    """
    return tuple(
        _fault_of(question.commit, signature, anchor)
        for signature in question.signatures
        for anchor in question.anchors
    )


def _fault_of(commit: bytes, signature: bytes, anchor: Path) -> str | None:
    """Say why a signature does not count, or None where it does."""
    verifier = _verifier(anchor)
    with tempfile.TemporaryDirectory() as name:
        folder, file = laid_out(commit, Path(name)), Path(name) / "signature"
        file.write_bytes(signature)
        try:
            verifier.verify(folder, file)
        except Exception as error:  # noqa: BLE001  the library raises whatever its own libraries do
            return _said(error)
    return None


def _verifier(anchor: Path) -> _Verifier:
    config = require("model_signing.verifying", extra=EXTRA).Config()
    if CERTIFICATE in anchor.read_bytes():
        verifier: _Verifier = config.use_certificate_verifier(certificate_chain=[anchor])
    else:
        verifier = config.use_elliptic_key_verifier(public_key=anchor)
    return verifier


def _said(error: Exception) -> str:
    text = str(error)
    if text.startswith("Signature mismatch"):
        return "what is signed are other bytes"
    return f"a signature is another's ({type(error).__name__})"
