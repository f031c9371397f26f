"""Sign bytes, by OpenSSF model-signing: any tool that knows it can check them."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from registry.errors import MissingExtraError, StoreError
from registry.require import require

EXTRA = "sign"

#: How model-signing sees a version: a folder with this one file.
FOLDER, FILE = "version", "version.json"


class SigningConfig(Protocol):
    """What model-signing signs with, once it is told how."""

    def sign(self, model_path: Path, signature_path: Path) -> None:
        """Write a signature of a folder."""


class Signs(Protocol):
    """Somebody who vouches for bytes."""

    def sign(self, data: bytes, file: str = FILE) -> bytes:
        """Return a signature, as a sigstore bundle.

        Args:
            file: The name under which the bytes are signed: what was signed as one thing does not
                count as another.

        Raises:
            StoreError: It cannot be made.
        """


@dataclass(frozen=True)
class Signer:
    """Who signs: a private key, and where it is vouched for, its certificate.

    Attributes:
        key: PEM file of an elliptic curve's private key.
        certificate: PEM file of the certificate of that key.
        chain: PEM files of the authorities between that and the root.
    """

    key: Path
    certificate: Path | None = None
    chain: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return str(self.certificate or self.key)

    def sign(self, data: bytes, file: str = FILE) -> bytes:
        """Return a signature, as a sigstore bundle.

        Raises:
            StoreError: The key or the certificate cannot be used.
        """
        try:
            return signed(data, file, self._configured())
        except MissingExtraError:
            raise
        except Exception as error:
            raise StoreError(
                f"{self.key}: cannot sign with it: {error or type(error).__name__}. Name the "
                "PEM file of an elliptic curve's private key, and the certificate of that key"
            ) from error

    def _configured(self) -> SigningConfig:
        config = require("model_signing.signing", extra=EXTRA).Config()
        if self.certificate is None:
            told: SigningConfig = config.use_elliptic_key_signer(private_key=self.key)
        else:
            told = config.use_certificate_signer(
                private_key=self.key,
                signing_certificate=self.certificate,
                certificate_chain=self.chain,
            )
        return told


def signed(data: bytes, file: str, config: SigningConfig) -> bytes:
    """Sign bytes with model-signing as it is configured; raises what its libraries raise."""
    with tempfile.TemporaryDirectory() as name:
        folder, signature = laid_out(data, file, Path(name)), Path(name) / "signature"
        config.sign(folder, signature)
        return signature.read_bytes()


def laid_out(data: bytes, file: str, place: Path) -> Path:
    """Write bytes where model-signing looks for them."""
    folder = place / FOLDER
    folder.mkdir()
    (folder / file).write_bytes(data)
    return folder
