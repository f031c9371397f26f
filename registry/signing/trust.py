"""Whose signatures count, checked without a network."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from registry.errors import IntegrityError
from registry.manifest import Move
from registry.marks import Tag
from registry.signing.anchors import kind_of
from registry.signing.elsewhere import faults_elsewhere
from registry.signing.faults import Question, faults_of
from registry.signing.kept import signatures_of
from registry.signing.vouched import FILE, named, vouched_bytes
from registry.store.store import Store


class Believer(Protocol):
    """Says which versions are believed, and which moves of channels."""

    def check(self, store: Store, model: str, number: int, commit: bytes) -> None:
        """Believe a version, or raise what is wrong with its signatures."""

    def check_record(self, store: Store, model: str, record: Move | Tag) -> None:
        """Believe a move or a tag, or raise what is wrong with its signature."""


@dataclass(frozen=True)
class Trust:
    """Versions are believed if one of these has signed them.

    Attributes:
        anchors: Files, each with a public key, certificates of authorities, or an identity.
        elsewhere: The Python that checks where this environment lacks what it takes: a toolchain
            asks the platform's.
        said: Who that is, in errors; the names of the files where it is empty.
        moves: Whether moves of channels, and tags, are believed only if one of these signed them.
    """

    anchors: tuple[Path, ...]
    elsewhere: Path | None = None
    said: str = ""
    moves: bool = False

    def check(self, store: Store, model: str, number: int, commit: bytes) -> None:
        """Believe a version.

        Raises:
            IntegrityError: Nobody who is trusted has signed these very bytes.
            StoreError: An anchor is none.
            MissingExtraError: Nothing here can check signatures.
        """
        signatures = signatures_of(store, model, number)
        if why := self._fault(Question(commit, signatures, self.anchors)):
            raise IntegrityError(
                f"{model}@{number} is not signed by {self._who()}: {why}. "
                f"Sign it, if it is right: pipeline registry sign {model}@{number} --key KEY"
            )

    def check_record(self, store: Store, model: str, record: Move | Tag) -> None:  # noqa: ARG002
        """Believe a move or a tag, if these are to be signed; raises as `check`."""
        if not self.moves:
            return
        signatures = (record.signature.encode(),) if record.signature else ()
        data = vouched_bytes(model, record)
        if why := self._fault(Question(data, signatures, self.anchors, FILE)):
            raise IntegrityError(
                f"{named(model, record)} is not signed by {self._who()}: {why}. Make it again, if "
                "it is right, where PIPELINE_SIGN names a key that counts"
            )

    def _fault(self, question: Question) -> str:
        """Say why no signature counts; empty where one does."""
        self._check_anchors()
        faults = self._ask()(question) if question.signatures else ()
        if None in faults:
            return ""
        return "; ".join(dict.fromkeys(map(str, faults))) or "it has no signature"

    def _who(self) -> str:
        return self.said or ", ".join(map(str, self.anchors))

    def _check_anchors(self) -> None:
        for anchor in self.anchors:
            kind_of(anchor)

    def _ask(self) -> Callable[[Question], tuple[str | None, ...]]:
        """Return what checks: this environment, if it can."""
        if self.elsewhere is None or find_spec("model_signing") is not None:
            return faults_of
        return partial(faults_elsewhere, self.elsewhere)
