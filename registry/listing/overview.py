"""All models with their versions and channels."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from registry.errors import IntegrityError
from registry.layout import MODELS
from registry.listing.glance import Glance
from registry.listing.kept import Kept
from registry.listing.listing import Listing, list_models
from registry.manifest import Version
from registry.record import read_move, read_version
from registry.store.store import Store

#: Told of what is damaged.
Tell = Callable[[IntegrityError], None]


@dataclass(frozen=True)
class Overview:
    """What a store holds.

    Attributes:
        versions: The numbers of each model's versions, in order; a model may have none left.
        channels: Where each model's channels point.
    """

    versions: dict[str, tuple[int, ...]]
    channels: dict[str, dict[str, int]]


def overview(store: Store, kept: Kept) -> Overview:
    """Look at all models: one listing, and the last entry of each channel."""
    glance = Glance()
    listing = list_models(store.entries(MODELS, glance.is_move))
    numbers: dict[str, list[int]] = {model: [] for model in sorted({m for m, _ in glance.versions})}
    for model, number in sorted(glance.versions - glance.removed):
        numbers[model].append(number)
    versions = {model: tuple(found) for model, found in numbers.items()}
    return Overview(versions, _channels(store, kept, listing))


def fail(damage: IntegrityError) -> None:
    """Let no damage pass.

    Raises:
        IntegrityError: The damage.
    """
    raise damage


def all_versions(
    store: Store, kept: Kept, model: str | None = None, tell: Tell = fail
) -> Iterator[Version]:
    """Read all versions that are not removed, of one model or of all, in order.

    Args:
        tell: Told of each version that cannot be believed; it is passed over.
    """
    prefix = MODELS if model is None else f"{MODELS}{model}/"
    listing = list_models(store.entries(prefix))
    wanted = sorted(listing.usable)
    for start in range(0, len(wanted), 1000):
        some = wanted[start : start + 1000]
        data = kept.read(store, [listing.versions[each] for each in some])
        for name, number in some:
            key = listing.versions[name, number].key
            try:
                version = read_version(data[key], key, name, number)
            except IntegrityError as error:
                tell(error)
            else:
                yield version


def _channels(store: Store, kept: Kept, listing: Listing) -> dict[str, dict[str, int]]:
    data = kept.read(store, [head.entry for head in listing.heads.values()])
    channels: dict[str, dict[str, int]] = {}
    for (model, channel), head in sorted(listing.heads.items(), key=lambda item: item[0]):
        move = read_move(data[head.entry.key], head.entry.key, channel, head.number)
        if not move.dropped:
            channels.setdefault(model, {})[channel] = move.version
    return channels
