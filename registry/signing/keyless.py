"""Sign without a key of one's own: sigstore gives a certificate, for minutes, for an identity."""

from dataclasses import dataclass
from pathlib import Path

from registry.errors import StoreError
from registry.require import require
from registry.signing.identity_anchor import read_instance
from registry.signing.signer import EXTRA, FILE, SigningConfig, signed
from registry.signing.token import find_token

#: Signs of what a library says that are told.
_ENOUGH = 300


@dataclass(frozen=True)
class Keyless:
    """Who signs: whoever an identity token says.

    Attributes:
        token: File of the token; None takes that of the environment, or of the CI service.
        instance: A client's trust configuration of an instance of one's own, as JSON; None is
            the public one, which keeps who signed what, and when, in a public log.
    """

    token: Path | None = None
    instance: Path | None = None

    def __str__(self) -> str:
        return "an identity, by sigstore"

    def sign(self, data: bytes, file: str = FILE) -> bytes:
        """Return a signature, as a sigstore bundle. Takes the network.

        Raises:
            StoreError: There is no token, it is no good, or sigstore cannot be reached.
        """
        token = find_token(self.token)
        require("model_signing.signing", extra=EXTRA)
        if self.instance is not None:
            read_instance(self.instance)
        try:
            return signed(data, file, self._configured(token))
        except Exception as error:
            raise StoreError(
                f"sigstore{f' of {self.instance}' if self.instance else ''} does not sign: "
                f"{_said(error, token)}. Look whether this host reaches it, and whether the token "
                "is for the audience 'sigstore' and not older than minutes; or sign with a key: "
                "--key FILE"
            ) from error

    def _configured(self, token: str) -> SigningConfig:
        config = require("model_signing.signing", extra=EXTRA).Config()
        told: SigningConfig = config.use_sigstore_signer(
            identity_token=token, trust_config=self.instance
        )
        return told


def _said(error: BaseException | None, token: str) -> str:
    """Put together what an error and its causes say, without the token."""
    told = []
    while error is not None:
        told.append(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
        error = error.__cause__ or error.__context__
    text = " ".join("; ".join(told).split()).replace(token, "…")
    return f"{text:.{_ENOUGH}}"
