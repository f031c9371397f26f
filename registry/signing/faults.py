"""Why signatures do not count, by OpenSSF model-signing."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from registry.errors import PlatformError, StoreError
from registry.signing.anchor import Verifier
from registry.signing.anchors import kind_of
from registry.signing.signer import FILE, laid_out

#: Signs of what a library says that are told.
_ENOUGH = 200


@dataclass(frozen=True)
class Question:
    """Do these vouch for some bytes?

    Attributes:
        data: A commit object, or what is signed of another record.
        anchors: Files; each holds what one of `ANCHORS` is.
        file: The name under which they were signed.
    """

    data: bytes
    signatures: tuple[bytes, ...]
    anchors: tuple[Path, ...]
    file: str = FILE


def faults_of(question: Question) -> tuple[str | None, ...]:
    """Say of each signature, and of it each anchor, why it does not count; None where it does.

    Raises:
        MissingExtraError: model-signing is not installed.
        StoreError: An anchor is none.
    """
    verifiers = tuple(map(_verifier, question.anchors))
    return tuple(
        _fault_of(question, signature, verifier)
        for signature in question.signatures
        for verifier in verifiers
    )


def _verifier(anchor: Path) -> Verifier:
    try:
        return kind_of(anchor).verifier(anchor)
    except PlatformError:
        raise
    except Exception as error:
        raise StoreError(
            f"{anchor}: nothing can be held against it: {_told(error)}. Name another file"
        ) from error


def _fault_of(question: Question, signature: bytes, verifier: Verifier) -> str | None:
    """Say why a signature does not count, or None where it does."""
    with tempfile.TemporaryDirectory() as name:
        folder = laid_out(question.data, question.file, Path(name))
        file = Path(name) / "signature"
        file.write_bytes(signature)
        try:
            verifier.verify(folder, file)
        except Exception as error:  # noqa: BLE001  the library raises whatever its own libraries do
            return _said(error)
    return None


def _said(error: Exception) -> str:
    if str(error).startswith("Signature mismatch"):
        return "what is signed are other bytes"
    return f"a signature is another's ({_told(error)})"


def _told(error: Exception) -> str:
    text = "".join(sign for sign in " ".join(str(error).split()) if sign.isprintable())
    why = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{why:.{_ENOUGH}}"
