"""What a store says of a model's versions and cannot be believed: moves, tags, removals."""

from collections.abc import Callable, Iterator
from functools import partial

from registry.channel import moves_of, read_entry
from registry.errors import IntegrityError
from registry.layout import channels_prefix
from registry.removal import read_removal, removed_from
from registry.side_by_side import ahead
from registry.store.store import Store
from registry.tag import read_tag, tags_of

Mark = tuple[str, Callable[[], object]]


def damaged_marks(store: Store, model: str) -> Iterator[tuple[str, str]]:
    """Give each reference that a damaged record stands for, with the fault."""
    for found in ahead(_read, _marks(store, model), width=8):
        if found is not None:
            yield found


def _marks(store: Store, model: str) -> Iterator[Mark]:
    for channel in store.children(channels_prefix(model)):
        for number in moves_of(store, model, channel):
            yield f"{model}@{channel}", partial(read_entry, store, model, channel, number)
    for tag in tags_of(store, model):
        yield f"{model}@{tag}", partial(read_tag, store, model, tag)
    for number in sorted(removed_from(store, model)):
        yield f"{model}@{number}", partial(read_removal, store, model, number)


def _read(mark: Mark) -> tuple[str, str] | None:
    use, read = mark
    try:
        read()
    except IntegrityError as error:
        return use, str(error)
    return None
