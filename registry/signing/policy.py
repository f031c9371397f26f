"""Whose signatures count, as a store itself says: a numbered series, of which the last one holds.

Who may write to the store may write another policy there. A host is safe from that where it names
the digest of the policy that it means, or keys of its own.
"""

import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from registry.digest import digest_of
from registry.disk import disk_faults
from registry.errors import IntegrityError, StoreError
from registry.layout import TRUST, numbered, numbers_in
from registry.record import read_record, write_record
from registry.signature import Frozen
from registry.signing.faults import CERTIFICATE, KEY
from registry.signing.trust import Trust
from registry.store.store import Store

#: What stands before the digest of a policy.
PIN = "sha256:"

#: Seconds for which a policy that was read is believed.
_LASTS = 60.0

_ATTEMPTS = 1000


class Policy(Frozen):
    """Versions are believed if one of these keys has signed them.

    Attributes:
        keys: PEM texts, each with a public key or with certificates of authorities. Where there
            are none, all versions are believed.
    """

    number: int
    keys: tuple[str, ...]
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


def set_policy(store: Store, files: tuple[Path, ...], *, who: str, why: str) -> Policy:
    """Make the keys in some files those that count; none of them lets all versions count.

    Raises:
        StoreError: A file holds no key.
    """
    keys = tuple(map(_read_key, files))
    for _ in range(_ATTEMPTS):
        last = max(numbers_in(store.children(TRUST)), default=0)
        policy = Policy(number=last + 1, keys=keys, who=who, why=why, when=datetime.now(UTC))
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
        policy = self._policy(store)
        if policy is None or not policy.keys:
            return
        with tempfile.TemporaryDirectory() as name:
            anchors = tuple(Path(name) / f"{at}.pem" for at in range(len(policy.keys)))
            for anchor, key in zip(anchors, policy.keys, strict=True):
                anchor.write_text(key)
            who = f"whom the policy of {store.url} names (pipeline registry trust show)"
            Trust(anchors, self.elsewhere, said=who).check(store, model, number, commit)

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


def _read_key(path: Path) -> str:
    with disk_faults(path):
        data = path.read_bytes()
    if CERTIFICATE not in data and KEY not in data:
        raise StoreError(f"{path}: holds no public key and no certificate. Name a PEM file")
    return data.decode("ascii", errors="replace")
