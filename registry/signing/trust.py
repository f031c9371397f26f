"""Whose signatures count, checked without a network."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from registry.disk import disk_faults
from registry.errors import IntegrityError, StoreError
from registry.signing.elsewhere import faults_elsewhere
from registry.signing.faults import CERTIFICATE, KEY, Question, faults_of
from registry.signing.kept import signatures_of
from registry.store.store import Store


class Believer(Protocol):
    """Says which versions are believed."""

    def check(self, store: Store, model: str, number: int, commit: bytes) -> None:
        """Believe a version, or raise what is wrong with its signatures."""


@dataclass(frozen=True)
class Trust:
    """Versions are believed if one of these has signed them.

    Attributes:
        anchors: PEM files, each with a public key or with certificates of authorities.
        elsewhere: The Python that checks where this environment lacks what it takes: a toolchain
            asks the platform's.
        said: Who that is, in errors; the names of the files where it is empty.
    """

    anchors: tuple[Path, ...]
    elsewhere: Path | None = None
    said: str = ""

    def check(self, store: Store, model: str, number: int, commit: bytes) -> None:
        """Believe a version.

        Raises:
            IntegrityError: Nobody who is trusted has signed these very bytes.
            StoreError: An anchor is no PEM file.
            MissingExtraError: Nothing here can check signatures.
        """
        signatures = signatures_of(store, model, number)
        self._check_anchors()
        faults = self._ask()(Question(commit, signatures, self.anchors)) if signatures else ()
        if None in faults:
            return
        why = "; ".join(dict.fromkeys(map(str, faults))) or "it has no signature"
        who = self.said or ", ".join(map(str, self.anchors))
        raise IntegrityError(
            f"{model}@{number} is not signed by {who}: {why}. "
            f"Sign it, if it is right: pipeline registry sign {model}@{number} --key KEY"
        )

    def _check_anchors(self) -> None:
        for anchor in self.anchors:
            with disk_faults(anchor):
                data = anchor.read_bytes()
            if CERTIFICATE not in data and KEY not in data:
                raise StoreError(
                    f"{anchor}: holds no public key and no certificate. Name a PEM file"
                )

    def _ask(self) -> Callable[[Question], tuple[str | None, ...]]:
        """Return what checks: this environment, if it can."""
        if self.elsewhere is None or find_spec("model_signing") is not None:
            return faults_of
        return partial(faults_elsewhere, self.elsewhere)
