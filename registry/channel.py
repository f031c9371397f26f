"""Channels: named pointers to versions, each with its whole history."""

from datetime import UTC, datetime

from registry.errors import StoreError
from registry.layout import channel_prefix, numbered, numbers_in
from registry.manifest import Move
from registry.record import read_move, write_record
from registry.store.store import Store

#: How often others may move a channel first before it is given up.
ATTEMPTS = 1000


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


def append(store: Store, model: str, channel: str, version: int, *, who: str, why: str) -> Move:
    """Point a channel at a version; where it points there already, nothing happens.

    Each entry names the version before it, so that one that lost a race is made anew.
    """
    for _ in range(ATTEMPTS):
        numbers = moves_of(store, model, channel)
        last = read_entry(store, model, channel, numbers[-1]) if numbers else None
        if last and last.version == version:
            return last
        move = Move(
            number=last.number + 1 if last else 1,
            channel=channel,
            version=version,
            previous=last.version if last else None,
            who=who,
            why=why,
            when=datetime.now(UTC),
        )
        key = numbered(channel_prefix(model, channel), move.number)
        if store.create(key, write_record(move)):
            return move
    raise StoreError(
        f"{model}@{channel}: others moved it first {ATTEMPTS} times. Find out what moves it"
    )
