"""An identity: what somebody signed by sigstore counts, who had no key but said who they are.

The file is a JSON object, `identity` and `issuer` and perhaps `root`. It is checked without a
network: against the log's promise in the signature, and a trust root that is at hand.
"""

import json
import tempfile
from importlib.resources import files
from pathlib import Path

from pydantic import Field, JsonValue, ValidationError

from registry.errors import StoreError
from registry.require import require
from registry.signature import Frozen
from registry.signing.anchor import AnchorKind, Verifier
from registry.signing.signer import EXTRA

#: Where the package sigstore keeps the trust root of the public instance.
_BUNDLED = ("sigstore._store", "https%3A%2F%2Ftuf-repo-cdn.sigstore.dev", "trusted_root.json")

_CONFIG = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
_SIGNING = "application/vnd.dev.sigstore.signingconfig.v0.2+json"


class Identity(Frozen):
    """Somebody whom an identity provider knows.

    Attributes:
        identity: As certificates name it: an e-mail address, or the URL of a workflow.
        issuer: URL of the provider.
        root: Of an instance of one's own, its `trusted_root.json`; None is the public instance, by
            the trust root that came with the package sigstore.
    """

    identity: str = Field(min_length=1)
    issuer: str = Field(min_length=1)
    root: dict[str, JsonValue] | None = None


def write_identity(identity: str, issuer: str, instance: Path | None) -> str:
    """Return the text of an identity's file.

    Args:
        instance: A `trusted_root.json`, or the trust configuration of a client that holds one.

    Raises:
        StoreError: It is neither.
    """
    root = read_instance(instance).get("trustedRoot") if instance else None
    if instance and not isinstance(root, dict):
        raise StoreError(f"{instance}: holds no trust root. Name a trusted_root.json of sigstore")
    made = Identity.model_validate({"identity": identity, "issuer": issuer, "root": root})
    return made.model_dump_json(exclude_none=True)


def read_instance(path: Path) -> dict[str, JsonValue]:
    """Read a client's trust configuration, or a trust root as one that cannot sign.

    Raises:
        StoreError: The file cannot be read, or is no JSON object.
    """
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: {error}. Name a file of JSON, as sigstore writes it") from error
    if not isinstance(told, dict):
        raise StoreError(f"{path}: is no JSON object. Name a trusted_root.json of sigstore")
    return told if "trustedRoot" in told or "certificateAuthorities" not in told else _config(told)


def is_one(data: bytes) -> bool:
    """Look for an identity."""
    try:
        Identity.model_validate_json(data)
    except ValidationError:
        return False
    return True


def verifier(path: Path) -> Verifier:
    """Take a file with an identity."""
    config = require("model_signing.verifying", extra=EXTRA).Config()
    said = Identity.model_validate_json(path.read_bytes())
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(_config(said.root or _public_root()), file)
        file.flush()
        made: Verifier = config.use_sigstore_verifier(
            identity=said.identity, oidc_issuer=said.issuer, trust_config=Path(file.name)
        )
    return made


def _config(root: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"mediaType": _CONFIG, "trustedRoot": root, "signingConfig": {"mediaType": _SIGNING}}


def _public_root() -> dict[str, JsonValue]:
    package, *names = _BUNDLED
    try:
        root: dict[str, JsonValue] = json.loads(files(package).joinpath(*names).read_bytes())
    except (OSError, ValueError, ImportError) as error:
        raise StoreError(
            f"the package sigstore has no trust root ({error}). Name one in the identity's file, "
            "as 'root', or install the version that constraints.txt names"
        ) from error
    return root


IDENTITY = AnchorKind("an identity of sigstore, as JSON", is_one, verifier)
