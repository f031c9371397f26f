"""Who signs what this host publishes and moves, if anybody does."""

import os

from registry.signing.named import named_signer
from registry.signing.signer import Signs

#: Names a key's file with its certificates, or sigstore: see `named_signer`.
SIGN = "PIPELINE_SIGN"


def signer() -> Signs | None:
    """Take whom the environment names; nobody signs where it names none.

    Raises:
        StoreError: It names nothing that can sign.
    """
    told = os.environ.get(SIGN, "")
    return named_signer(told) if told else None
