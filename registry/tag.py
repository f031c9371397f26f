"""Tags: names of versions that are given once and never move."""

from datetime import UTC, datetime

from registry.errors import StoreError
from registry.layout import tag_key, tags_prefix
from registry.marks import Tag
from registry.record import read_record, write_record
from registry.store.store import Store

_ENDING = ".json"


def tags_of(store: Store, model: str) -> tuple[str, ...]:
    """Return the names of a model's tags."""
    names = store.children(tags_prefix(model))
    return tuple(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING))


def read_tag(store: Store, model: str, name: str) -> Tag | None:
    """Return a tag, or None where there is none."""
    key = tag_key(model, name)
    data = store.get(key)
    return None if data is None else read_record(data, key, Tag, {"name": name})


def set_tag(store: Store, model: str, tag: Tag) -> Tag:
    """Give a version a name; where it has it already, nothing happens.

    Raises:
        StoreError: Another version has the name.
    """
    if store.create(tag_key(model, tag.name), write_record(tag)):
        return tag
    there = read_tag(store, model, tag.name)
    if there is None or there.version != tag.version:
        holder = f"version {there.version}" if there else "another version"
        raise StoreError(
            f"{model}@{tag.name} is {holder} for good: a tag does not move. Take another name, or "
            "a channel: pipeline registry promote"
        )
    return there


def new_tag(name: str, version: int, *, who: str, why: str) -> Tag:
    """Make a tag as of now."""
    return Tag(name=name, version=version, who=who, why=why, when=datetime.now(UTC))
