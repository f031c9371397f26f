"""All models with their versions and channels."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from registry import versions
from registry.changes import is_over, is_stale, model_of, notes_of
from registry.errors import IntegrityError, PlatformError
from registry.layout import MODELS
from registry.listing.glance import Glance
from registry.listing.index import Index, Summary, read_index, summary_of, write_index
from registry.listing.kept import Kept
from registry.listing.listing import Listing, list_models
from registry.manifest import Version
from registry.record import read_move
from registry.side_by_side import ahead
from registry.store.store import Entry, Store

#: Versions from which on an index is kept.
MUCH = 2000

#: Models that are listed one by one, and notes that are over, before the index is made anew.
_TOO_MANY, _ENOUGH = 200, 20

_WIDTH = 16

#: Told of what is damaged.
Tell = Callable[[IntegrityError], None]

#: Makes a version of a commit object, its model and its number.
Believe = Callable[[bytes, str, int], Version]


Models = dict[str, Summary]


@dataclass(frozen=True)
class Overview:
    """What a store holds.

    Attributes:
        versions: The numbers of each model's versions, in order; a model may have none left.
        channels: Where each model's channels point.
    """

    versions: dict[str, tuple[int, ...]]
    channels: dict[str, dict[str, int]]


def overview(store: Store, kept: Kept, *, anew: bool = False) -> Overview:
    """Look at all models: by the store's index and what has changed since, or by a listing.

    Args:
        anew: Believe no index.
    """
    notes = notes_of(store)
    models = None if anew else _added_to_index(store, kept, notes)
    return _overview(models if models is not None else _listed_anew(store, kept, notes))


def quick_overview(store: Store, kept: Kept) -> Overview | None:
    """Look at all models, if an index makes that quick however many there are."""
    models = _added_to_index(store, kept, notes_of(store))
    return None if models is None else _overview(models)


def _added_to_index(store: Store, kept: Kept, notes: tuple[Entry, ...]) -> Models | None:
    """Take the index, and list the models that have changed since; None where they are many."""
    index = read_index(store)
    if index is None:
        return None
    new = [note for note in notes if note.key not in index.covers]
    changed = sorted(set(map(model_of, new)))
    if len(changed) > _TOO_MANY:
        return None
    parts = ahead(lambda model: _list(store, kept, model), changed, _WIDTH)
    models = index.models | {name: part for found in parts for name, part in found.items()}
    over = tuple(note.key for note in new if is_over(note))
    if len(over) > _ENOUGH:
        covers = (*over, *(note.key for note in notes if note.key in index.covers))
        write_index(store, index.model_copy(update={"covers": covers, "models": models}))
    return models


def _listed_anew(store: Store, kept: Kept, notes: tuple[Entry, ...]) -> Models:
    """List all, and keep that in the store if it is much; remove notes that are of no use."""
    begun = datetime.now(UTC)
    models = _list(store, kept)
    if stale := [note.key for note in notes if is_stale(note)]:
        with suppress(PlatformError):  # who may not remove leaves it to others
            store.remove(stale)
    if sum(len(model.numbers) for model in models.values()) >= MUCH:
        covers = tuple(note.key for note in notes if is_over(note))
        write_index(store, Index(number=1, listed=begun, covers=covers, models=models))
    return models


def _list(store: Store, kept: Kept, model: str | None = None) -> Models:
    """Sum up all models, or one: by one listing, and the last entry of each channel."""
    glance = Glance()
    prefix = MODELS if model is None else f"{MODELS}{model}/"
    listing = list_models(store.entries(prefix, glance.is_move))
    numbers: dict[str, list[int]] = {name: [] for name, _ in glance.versions}
    for name, number in sorted(glance.versions - glance.removed):
        numbers[name].append(number)
    channels = _channels(store, kept, listing)
    return {name: summary_of(tuple(at), channels.get(name, {})) for name, at in numbers.items()}


def _overview(models: Models) -> Overview:
    numbers = {name: models[name].numbers for name in sorted(models)}
    return Overview(numbers, {name: one.channels for name, one in models.items() if one.channels})


def fail(damage: IntegrityError) -> None:
    """Let no damage pass.

    Raises:
        IntegrityError: The damage.
    """
    raise damage


def all_versions(
    store: Store,
    kept: Kept,
    model: str | None = None,
    tell: Tell = fail,
    believe: Believe = versions.believe,
) -> Iterator[Version]:
    """Read all versions that are not removed, of one model or of all, in order.

    Args:
        tell: Told of each version that cannot be believed; it is passed over.
        believe: Makes a version of a commit object.
    """
    prefix = MODELS if model is None else f"{MODELS}{model}/"
    listing = list_models(store.entries(prefix))
    wanted = sorted(listing.usable)
    for start in range(0, len(wanted), 1000):
        some = wanted[start : start + 1000]
        data = kept.read(store, [listing.versions[each] for each in some])
        for name, number in some:
            try:
                version = believe(data[listing.versions[name, number].key], name, number)
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
