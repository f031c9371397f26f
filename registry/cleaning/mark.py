"""Which blobs are needed: those of versions that are in use, and those of publishers at work."""

from datetime import datetime, timedelta
from functools import partial

from registry.channel import read_entry
from registry.cleaning.announce import LASTS
from registry.cleaning.records import Announcement
from registry.layout import MODELS, PUBLISHING
from registry.listing.listing import Head, Numbered, list_models
from registry.patching.needed import blobs_of
from registry.record import read_record
from registry.side_by_side import ahead
from registry.store.store import Store
from registry.versions import read_committed

_WIDTH = 8


class Marker:
    """Finds what is needed; asked again, it reads only what has come since."""

    def __init__(self, store: Store, grace: timedelta) -> None:
        self._store, self._grace = store, grace
        self._digests: dict[Numbered, frozenset[str]] = {}

    def needed(self, now: datetime) -> set[str]:
        """Return the digests of all blobs that are needed.

        Announcements are read before versions: one that is gone by then has become a version.

        Raises:
            IntegrityError: A version cannot be believed, so that nobody knows what it needs.
        """
        announced = self._announced(now)
        wanted = self.in_use(now)
        new = sorted(wanted - set(self._digests))
        found = ahead(self._read, new, width=_WIDTH)
        self._digests |= dict(zip(new, found, strict=True))
        return announced.union(*(self._digests[key] for key in wanted))

    def in_use(self, now: datetime) -> set[Numbered]:
        """Return the versions that are not removed, or not for long, or that a channel points to.

        Who moves a channel makes sure first that the version is not removed. Where it is removed
        right after, the grace period lets the move be seen here before anything is taken.
        """
        listing = list_models(self._store.entries(MODELS))
        gone = {key for key, mark in listing.removed.items() if now - mark.modified >= self._grace}
        affected = {model for model, _ in gone}
        heads = [head for head in listing.heads.items() if head[0][0] in affected]
        pointed = {at for at in ahead(partial(_pointed_at, self._store), heads, _WIDTH) if at}
        return set(listing.versions) - (gone - pointed)

    def _announced(self, now: datetime) -> set[str]:
        recent = [
            entry.key
            for entry in self._store.entries(PUBLISHING)
            if now - entry.modified < timedelta(seconds=LASTS)
        ]
        found = ((key, self._store.get(key)) for key in recent)
        return {
            digest
            for key, data in found
            if data is not None
            for digest in read_record(data, key, Announcement, {}).digests
        }

    def _read(self, key: Numbered) -> frozenset[str]:
        version = read_committed(self._store, *key)
        files = (file.digest for file in version.files.values())
        return frozenset(files).union(blobs_of(version))


def _pointed_at(store: Store, head: tuple[tuple[str, str], Head]) -> Numbered | None:
    (model, channel), last = head
    move = read_entry(store, model, channel, last.number)
    return None if move.dropped else (model, move.version)
