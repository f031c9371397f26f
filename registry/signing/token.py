"""The token by which somebody says who they are: never printed, and never kept."""

import os
from pathlib import Path

from registry.disk import disk_faults
from registry.errors import StoreError
from registry.require import require
from registry.signing.signer import EXTRA

#: Where sigstore's own tools look for a token too.
VARIABLE = "SIGSTORE_ID_TOKEN"


def find_token(file: Path | None) -> str:
    """Return the token in a file, else that in the environment, else what the CI service gives.

    Raises:
        StoreError: There is none. No browser is opened to get one.
    """
    if file is not None:
        with disk_faults(file):
            token = file.read_text("utf-8", errors="replace").strip()
    else:
        token = os.environ.get(VARIABLE, "").strip() or _ambient()
    if not token:
        raise StoreError(
            f"{file or 'an identity token'}: there is none. Name a file with one (--token), set "
            f"{VARIABLE}, or run where the CI service gives one: on GitHub that takes the "
            "permission id-token: write"
        )
    return token


def _ambient() -> str:
    """Ask the CI service that this runs on, if it is one that sigstore knows."""
    oidc = require("sigstore.oidc", extra=EXTRA)
    try:
        return oidc.detect_credential() or ""
    except oidc.IdentityError as error:
        raise StoreError(
            f"the CI service gives no identity token: {' '.join(str(error).split())}. Let the job "
            f"have one (on GitHub: permissions: id-token: write), or set {VARIABLE}"
        ) from error
