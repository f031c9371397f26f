"""What one listing of all keys shows."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from registry.layout import MODELS
from registry.store.store import Entry

_KEY = re.compile(
    f"{MODELS}(?P<model>[^/]+)/(?P<series>versions|removed|channels/(?P<channel>[^/]+))/"
    r"(?P<number>[0-9]{6,18})\.json"
)

Numbered = tuple[str, int]


@dataclass(frozen=True)
class Head:
    """The last entry of a channel."""

    number: int
    entry: Entry


@dataclass
class Listing:
    """What there is of each kind.

    Attributes:
        versions, removed: By model and number.
        heads: By model and channel.
    """

    versions: dict[Numbered, Entry] = field(default_factory=dict)
    removed: dict[Numbered, Entry] = field(default_factory=dict)
    heads: dict[tuple[str, str], Head] = field(default_factory=dict)

    @property
    def usable(self) -> set[Numbered]:
        """The versions that nobody has removed."""
        return self.versions.keys() - self.removed.keys()


def list_models(entries: Iterable[Entry]) -> Listing:
    """Sort keys by what they are; what is none of them is passed over."""
    listing = Listing()
    for entry in entries:
        match = _KEY.fullmatch(entry.key)
        if match is None:
            continue
        model, number = match["model"], int(match["number"])
        if match["channel"]:
            head = listing.heads.get((model, match["channel"]))
            if head is None or head.number < number:
                listing.heads[model, match["channel"]] = Head(number, entry)
        elif match["series"] == "versions":
            listing.versions[model, number] = entry
        else:
            listing.removed[model, number] = entry
    return listing
