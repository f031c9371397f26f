"""What to say of what is not there: what there is in its place, and which of it may be meant."""

from difflib import get_close_matches

from registry.channel import pointed
from registry.errors import IntegrityError, StoreError
from registry.layout import MODELS, channels_prefix
from registry.store.store import Store
from registry.tag import tags_of
from registry.versions import usable

#: Names that an error lists.
_LISTED = 10


def no_model(store: Store, model: str) -> StoreError:
    """Say that there is no such model."""
    return _unknown(f"there is no model {model!r} in {store.url}", model, store.children(MODELS))


def no_version(store: Store, model: str, number: int) -> StoreError:
    """Say that a model has no such version, or that there is no such model."""
    numbers = tuple(map(str, usable(store, model)))
    what = f"{model} has no version {number} in {store.url}"
    return _unknown(what, str(number), numbers) if numbers else no_model(store, model)


def no_channel(store: Store, model: str, name: str) -> StoreError:
    """Say that a model has no such channel or tag, or that there is no such model."""
    if not usable(store, model):
        return no_model(store, model)
    what = f"{model} has no channel or tag {name!r} in {store.url}"
    channels = store.children(channels_prefix(model))
    if name in channels:
        return StoreError(f"{what} any more. Who dropped it: pipeline registry log {model}@{name}")
    led = (channel for channel in channels if _leads_somewhere(store, model, channel))
    return _unknown(what, name, (*led, *tags_of(store, model)))


def _leads_somewhere(store: Store, model: str, channel: str) -> bool:
    try:
        return pointed(store, model, channel) is not None
    except IntegrityError:
        return True


def _unknown(what: str, name: str, known: tuple[str, ...]) -> StoreError:
    close = get_close_matches(name, known, n=1)
    meant = f" Did you mean {close[0]!r}?" if close and not name.isdigit() else ""
    more = f"{len(known) - _LISTED} more, " if len(known) > _LISTED else ""
    return StoreError(f"{what}.{meant} There is: {more}{', '.join(known[-_LISTED:]) or 'none'}")
