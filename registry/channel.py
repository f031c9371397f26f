"""Channels: named pointers to versions, each with its whole history."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from registry.changes import noted
from registry.errors import StoreError
from registry.layout import channel_prefix, numbered, numbers_in
from registry.manifest import Move
from registry.record import read_move, write_record
from registry.store.store import Store

#: How often others may move a channel first before it is given up.
ATTEMPTS = 1000


class Reason(NamedTuple):
    """Who moves a channel, and why; a rollout says in which serving place it proved the version."""

    who: str
    why: str
    environment: str | None = None


@dataclass(frozen=True)
class Series:
    """A channel that is about to be moved.

    Attributes:
        vouch: Makes an entry one that will be believed, or raises why that cannot be.
        stands: Says whether an entry is believed.
    """

    store: Store
    model: str
    channel: str
    vouch: Callable[[Move], Move]
    stands: Callable[[Move], bool]


def moves_of(store: Store, model: str, channel: str) -> tuple[int, ...]:
    """Return the numbers of a channel's history, in order."""
    return numbers_in(store.children(channel_prefix(model, channel)))


def read_entry(store: Store, model: str, channel: str, number: int) -> Move:
    """Return one entry of a channel's history."""
    key = numbered(channel_prefix(model, channel), number)
    data = store.get(key)
    if data is None:
        raise StoreError(f"{store.url}: {key} is gone. Restore the store from a backup")
    return read_move(data, key, channel, number)


def pointed(store: Store, model: str, channel: str) -> Move | None:
    """Return where a channel points; None where it never did, or was dropped."""
    last = _last(store, model, channel)
    return None if last is None or last.dropped else last


def append(to: Series, version: int, reason: Reason) -> Move:
    """Point a channel at a version; where an entry that stands does so already, nothing happens.

    Each entry names the version before it, so that one that lost a race is made anew.
    """
    for _ in range(ATTEMPTS):
        last = _last(to.store, to.model, to.channel)
        before = None if last is None or last.dropped else last
        if before and before.version == version and to.stands(before):
            return before
        move = Move(
            number=last.number + 1 if last else 1,
            channel=to.channel,
            version=version,
            previous=before.version if before else None,
            who=reason.who,
            why=reason.why,
            environment=reason.environment,
            when=datetime.now(UTC),
        )
        if written := _write(to, move):
            return written
    raise _overtaken(to)


def drop(to: Series, reason: Reason) -> Move | None:
    """Let a channel point nowhere; its history stays, and tells it.

    Returns:
        The entry that says so, which may be an older one; None where the channel never was.
    """
    for _ in range(ATTEMPTS):
        last = _last(to.store, to.model, to.channel)
        if last is None or last.dropped:
            return last
        said = {"number": last.number + 1, "previous": last.version, "dropped": True}
        told = said | reason._asdict() | {"when": datetime.now(UTC), "signature": None}
        if written := _write(to, last.model_copy(update=told)):
            return written
    raise _overtaken(to)


def _last(store: Store, model: str, channel: str) -> Move | None:
    numbers = moves_of(store, model, channel)
    return read_entry(store, model, channel, numbers[-1]) if numbers else None


def _write(to: Series, move: Move) -> Move | None:
    """Write an entry with what makes it believed; None where another was first."""
    vouched = to.vouch(move)
    key = numbered(channel_prefix(to.model, to.channel), move.number)
    with noted(to.store, to.model):
        return vouched if to.store.create(key, write_record(vouched)) else None


def _overtaken(to: Series) -> StoreError:
    return StoreError(
        f"{to.model}@{to.channel}: others moved it first {ATTEMPTS} times. Find out what moves it"
    )
