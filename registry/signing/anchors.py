"""All kinds of anchors."""

from pathlib import Path

from registry.disk import disk_faults
from registry.errors import StoreError
from registry.signing.anchor import AnchorKind
from registry.signing.certificate_anchor import CERTIFICATE
from registry.signing.identity_anchor import IDENTITY
from registry.signing.key_anchor import KEY

#: A file that holds several kinds is the first of them.
ANCHORS: tuple[AnchorKind, ...] = (CERTIFICATE, KEY, IDENTITY)


def kind_of(path: Path) -> AnchorKind:
    """Say what kind of anchor a file holds.

    Raises:
        StoreError: None.
    """
    with disk_faults(path):
        data = path.read_bytes()
    for kind in ANCHORS:
        if kind.is_one(data):
            return kind
    known = ", ".join(kind.said for kind in ANCHORS)
    raise StoreError(
        f"{path}: holds no public key and no certificate, and names no identity. Name a file with "
        f"one of these: {known}"
    )


def read_anchor(path: Path) -> str:
    """Return the text of a file that holds an anchor; raises as `kind_of`."""
    kind_of(path)
    with disk_faults(path):
        return path.read_text("ascii", errors="replace")
