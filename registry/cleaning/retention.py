"""Which versions a rule lets go."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from registry.channel import moves_of, read_entry
from registry.layout import channels_prefix
from registry.side_by_side import ahead
from registry.store.store import Store
from registry.tag import read_tag, tags_of
from registry.versions import usable


@dataclass(frozen=True)
class Rule:
    """What is kept; the rest may go.

    Attributes:
        last: So many of the newest versions, at least 1.
        served: What a channel has pointed to within this time, None for what it ever has.
            Where it points now, and what has a tag, is kept in any case.
    """

    last: int
    served: timedelta | None = None


def let_go(store: Store, model: str, rule: Rule) -> tuple[int, ...]:
    """Return the numbers of a model's versions that a rule lets go, in order."""
    numbers = usable(store, model)
    candidates = numbers[: -max(1, rule.last)]
    if not candidates:
        return ()
    held = _tagged(store, model) | _served(store, model, rule.served)
    return tuple(number for number in candidates if number not in held)


def _tagged(store: Store, model: str) -> set[int]:
    tags = (read_tag(store, model, name) for name in tags_of(store, model))
    return {tag.version for tag in tags if tag}


def _served(store: Store, model: str, within: timedelta | None) -> set[int]:
    since = datetime.now(UTC) - within if within is not None else None
    return {
        number
        for channel in store.children(channels_prefix(model))
        for number, until in _stays(store, model, channel)
        if until is None or since is None or until >= since
    }


def _stays(store: Store, model: str, channel: str) -> Iterator[tuple[int, datetime | None]]:
    """Give the versions that a channel has pointed to, and until when; None is until now."""
    numbers = moves_of(store, model, channel)
    moves = list(ahead(lambda n: read_entry(store, model, channel, n), numbers, width=8))
    for move, following in zip(moves, [*moves[1:], None], strict=True):
        if not move.dropped:
            yield move.version, following.when if following else None
