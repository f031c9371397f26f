"""What a signature is held against: a key, an authority or an identity, each in a file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Verifier(Protocol):
    """What model-signing checks a signature with."""

    def verify(self, model_path: Path, signature_path: Path) -> None:
        """Return where the signature is good, or raise whatever its own libraries do."""


@dataclass(frozen=True)
class AnchorKind:
    """A kind of anchor: one file, one row in ANCHORS.

    Attributes:
        said: What it is, for messages.
        is_one: Says of a file's bytes whether they are one.
        verifier: Reads the file, with model-signing at hand.
    """

    said: str
    is_one: Callable[[bytes], bool]
    verifier: Callable[[Path], Verifier]
