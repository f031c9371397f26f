"""Whose signatures count, as a store itself says: a numbered series, of which the last one holds.

Who may write to the store may write another policy there. A host is safe from that where it names
the digest of the policy that it means, or keys of its own.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from registry.digest import digest_of
from registry.errors import IntegrityError, StoreError
from registry.layout import TRUST, numbered, numbers_in
from registry.manifest import Move
from registry.marks import Tag
from registry.record import read_record, write_record
from registry.signature import Frozen
from registry.signing.trust import Trust
from registry.store.store import Store

#: What stands before the digest of a policy.
PIN = "sha256:"

#: Seconds for which a policy that was read is believed.
_LASTS = 60.0

_ATTEMPTS = 1000


class Policy(Frozen):
    """Versions are believed if one of these has signed them.

    Attributes:
        keys: Texts of anchors: public keys, certificates of authorities, identities. Where there
            are none, all versions are believed.
        moves: Whether moves of channels, and tags, are believed only if one of these signed them.
    """

    number: int
    keys: tuple[str, ...]
    moves: bool = False
    who: str
    why: str
    when: datetime

    @property
    def digest(self) -> str:
        """What hosts pin: SHA-256 of the policy as it is kept."""
        return digest_of([write_record(self)]).digest


def read_policy(store: Store) -> Policy | None:
    """Return the policy of a store, if it has one."""
    numbers = numbers_in(store.children(TRUST))
    if not numbers:
        return None
    key = numbered(TRUST, numbers[-1])
    data = store.get(key)
    if data is None:
        raise StoreError(f"{store.url}: {key} is gone. Restore the store from a backup")
    return read_record(data, key, Policy, {"number": numbers[-1]})


def set_policy(
    store: Store, keys: tuple[str, ...], *, who: str, why: str, moves: bool = False
) -> Policy:
    """Make some anchors those that count; none of them lets all versions count.

    Args:
        keys: Their texts, as `read_anchor` gives them.
    """
    said = {"keys": keys, "moves": moves, "who": who, "why": why}
    for _ in range(_ATTEMPTS):
        last = max(numbers_in(store.children(TRUST)), default=0)
        told = said | {"number": last + 1, "when": datetime.now(UTC)}
        policy = Policy.model_validate(told)
        if store.create(numbered(TRUST, policy.number), write_record(policy)):
            return policy
    raise StoreError(f"{store.url}: others set its trust without end. Find out what does")


@dataclass
class PolicyTrust:
    """Believes what the policy of the store believes.

    Attributes:
        pin: The digest that the policy must have; None takes the one that is there, if any.
        elsewhere: As for `Trust`.
    """

    pin: str | None
    elsewhere: Path | None = None
    _read: tuple[float, Policy | None] | None = field(default=None, repr=False)

    def check(self, store: Store, model: str, number: int, commit: bytes) -> None:
        """Believe a version.

        Raises:
            IntegrityError: The policy is not the pinned one, or nobody whom it names has signed.
        """
        with self._trust(store) as trust:
            if trust is not None:
                trust.check(store, model, number, commit)

    def check_record(self, store: Store, model: str, record: Move | Tag) -> None:
        """Believe a move or a tag; raises as `check`."""
        with self._trust(store) as trust:
            if trust is not None:
                trust.check_record(store, model, record)

    @contextmanager
    def _trust(self, store: Store) -> Iterator[Trust | None]:
        """Lay out the anchors of the policy, if it has any."""
        policy = self._policy(store)
        if policy is None or not policy.keys:
            yield None
            return
        with tempfile.TemporaryDirectory() as name:
            anchors = tuple(Path(name) / f"{at}.anchor" for at in range(len(policy.keys)))
            for anchor, key in zip(anchors, policy.keys, strict=True):
                anchor.write_text(key)
            who = f"whom the policy of {store.url} names (pipeline registry trust show)"
            yield Trust(anchors, self.elsewhere, said=who, moves=policy.moves)

    def _policy(self, store: Store) -> Policy | None:
        now = time.monotonic()
        if self._read is None or now - self._read[0] > _LASTS:
            policy = read_policy(store)
            self._check_pin(store, policy)
            self._read = (now, policy)
        return self._read[1]

    def _check_pin(self, store: Store, policy: Policy | None) -> None:
        if self.pin is None or (policy is not None and policy.digest == self.pin):
            return
        found = f"is {PIN}{policy.digest}, set by {policy.who}" if policy else "is not there"
        raise IntegrityError(
            f"{store.url}: its trust policy {found}; this host believes {PIN}{self.pin} alone. "
            "Ask who set it; if it is right, name it in PIPELINE_TRUST"
        )
