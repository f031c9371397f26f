"""Whose signatures count, checked without a network."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from registry.disk import disk_faults
from registry.errors import IntegrityError, StoreError
from registry.require import require
from registry.signing.kept import signatures_of
from registry.signing.signer import EXTRA, laid_out
from registry.store.store import Store

_CERTIFICATE, _KEY = b"-----BEGIN CERTIFICATE-----", b"-----BEGIN PUBLIC KEY-----"


class _Verifier(Protocol):
    def verify(self, model_path: Path, signature_path: Path) -> None: ...


@dataclass(frozen=True)
class Trust:
    """Versions are believed if one of these has signed them.

    Attributes:
        anchors: PEM files, each with a public key or with certificates of authorities.
    """

    anchors: tuple[Path, ...]

    def check(self, store: Store, model: str, number: int, commit: bytes) -> None:
        """Believe a version.

        Raises:
            IntegrityError: Nobody who is trusted has signed these very bytes.
        """
        signatures = signatures_of(store, model, number)
        faults = [
            fault
            for signature in signatures
            for anchor in self.anchors
            if (fault := _fault_of(commit, signature, anchor)) is not None
        ]
        if len(faults) < len(signatures) * len(self.anchors):
            return
        why = "; ".join(dict.fromkeys(faults)) or "it has no signature"
        raise IntegrityError(
            f"{model}@{number} is not signed by {', '.join(map(str, self.anchors))}: {why}. "
            f"Sign it, if it is right: pipeline registry sign {model}@{number} --key KEY"
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
    with disk_faults(anchor):
        data = anchor.read_bytes()
    config = require("model_signing.verifying", extra=EXTRA).Config()
    if _CERTIFICATE in data:
        verifier: _Verifier = config.use_certificate_verifier(certificate_chain=[anchor])
    elif _KEY in data:
        verifier = config.use_elliptic_key_verifier(public_key=anchor)
    else:
        raise StoreError(f"{anchor}: holds no public key and no certificate. Name a PEM file")
    return verifier


def _said(error: Exception) -> str:
    text = str(error)
    if text.startswith("Signature mismatch"):
        return "what is signed are other bytes"
    return f"a signature is another's ({type(error).__name__})"
