"""All models at a glance, kept in the store itself: a cache, to be removed at any time."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import groupby

from registry.errors import PlatformError
from registry.layout import INDEX, numbered, numbers_in
from registry.record import read_record, write_record
from registry.signature import Frozen
from registry.store.store import Store

#: How long an index is added to before all is listed anew.
LASTS = timedelta(days=1)


class Summary(Frozen):
    """A model.

    Attributes:
        versions: First and last number of each run of versions that are in use.
        channels: Where each channel points.
    """

    versions: tuple[tuple[int, int], ...]
    channels: dict[str, int]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the versions, in order."""
        return tuple(at for first, last in self.versions for at in range(first, last + 1))


class Index(Frozen):
    """What a store held.

    Attributes:
        listed: When all of it was listed last.
        covers: Keys of the notes whose changes are in it, though they may be there still.
    """

    number: int
    listed: datetime
    covers: tuple[str, ...]
    models: dict[str, Summary]


def summary_of(numbers: tuple[int, ...], channels: dict[str, int]) -> Summary:
    """Sum a model up."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), lambda item: item[1] - item[0])
    ]
    return Summary(versions=tuple((run[0], run[-1]) for run in runs), channels=channels)


def read_index(store: Store) -> Index | None:
    """Return the newest index, if there is one that is whole and lasts."""
    numbers = numbers_in(store.children(INDEX))
    if not numbers:
        return None
    key = numbered(INDEX, numbers[-1])
    with suppress(PlatformError):
        data = store.get(key)
        index = None if data is None else read_record(data, key, Index, {"number": numbers[-1]})
        if index is not None and datetime.now(UTC) - index.listed < LASTS:
            return index
    return None


def write_index(store: Store, index: Index) -> None:
    """Keep an index and remove what it replaces, where this user may do that."""
    with suppress(PlatformError):
        before = numbers_in(store.children(INDEX))
        number = max(before, default=0) + 1
        index = index.model_copy(update={"number": number})
        if store.create(numbered(INDEX, number), write_record(index)):
            older = [numbered(INDEX, each) for each in before[:-1]]  # somebody may read the last
            store.remove([*older, *index.covers])
