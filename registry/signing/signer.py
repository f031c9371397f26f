"""Sign a commit object, by OpenSSF model-signing: any tool that knows it can check it."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from registry.errors import StoreError
from registry.require import require

EXTRA = "sign"

#: How model-signing sees a version: a folder with this one file.
FOLDER, FILE = "version", "version.json"


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

    def sign(self, commit: bytes) -> bytes:
        """Return a signature, as a sigstore bundle.

        Raises:
            StoreError: The key or the certificate cannot be used.
        """
        config = require("model_signing.signing", extra=EXTRA).Config()
        with tempfile.TemporaryDirectory() as name:
            folder, signature = laid_out(commit, Path(name)), Path(name) / "signature"
            try:
                if self.certificate is None:
                    config.use_elliptic_key_signer(private_key=self.key)
                else:
                    config.use_certificate_signer(
                        private_key=self.key,
                        signing_certificate=self.certificate,
                        certificate_chain=self.chain,
                    )
                config.sign(folder, signature)
            except Exception as error:
                raise StoreError(
                    f"{self.key}: cannot sign with it: {error or type(error).__name__}. Name the "
                    "PEM file of an elliptic curve's private key, and the certificate of that key"
                ) from error
            return signature.read_bytes()


def laid_out(commit: bytes, place: Path) -> Path:
    """Write a commit object where model-signing looks for it."""
    folder = place / FOLDER
    folder.mkdir()
    (folder / FILE).write_bytes(commit)
    return folder
