"""The versions and channels in a store."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import MappingProxyType

from registry import channel as channels
from registry import publish as publishing
from registry import pull as pulling
from registry.errors import StoreError
from registry.layout import MODELS, channels_prefix, numbered, numbers_in, versions_prefix
from registry.manifest import Draft, File, Move, Version
from registry.progress import Progress, silent
from registry.record import read_version
from registry.reference import check_name, parse_reference
from registry.side_by_side import ahead
from registry.store.store import Store

#: Names that an error lists.
LISTED = 10

#: Of a folder that nobody has digested before.
NOTHING_EXPECTED: Mapping[str, File] = MappingProxyType({})


class Catalog:
    """What is published in a store. Holds no state: another process may publish at any time.

    Methods raise `StoreError` where the store fails or does not hold what was asked for, and
    `IntegrityError` where what it holds is not what was published.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def models(self) -> tuple[str, ...]:
        """Return the names of all models."""
        return self.store.children(MODELS)

    def versions(self, model: str) -> tuple[int, ...]:
        """Return the numbers of a model's versions, in order; none if there is no such model."""
        check_name("model", model)
        return numbers_in(self.store.children(versions_prefix(model)))

    def version(self, model: str, number: int) -> Version:
        """Return a version."""
        check_name("model", model)
        key = numbered(versions_prefix(model), number)
        data = self.store.get(key)
        if data is None:
            raise self._no_version(model, number)
        return read_version(data, key, model, number)

    def resolve(self, reference: str) -> Version:
        """Return the version that MODEL (the newest), MODEL@7 or MODEL@channel stands for."""
        wanted = parse_reference(reference)
        if wanted.number is not None:
            return self.version(wanted.model, wanted.number)
        if wanted.channel is not None:
            move = self.channel(wanted.model, wanted.channel)
            if move is None:
                raise self._no_channel(wanted.model, wanted.channel)
            return self.version(wanted.model, move.version)
        numbers = self.versions(wanted.model)
        if not numbers:
            raise self._no_model(wanted.model)
        return self.version(wanted.model, numbers[-1])

    def publish(
        self,
        draft: Draft,
        folder: Path,
        progress: Progress = silent,
        *,
        expected: Mapping[str, File] = NOTHING_EXPECTED,
    ) -> Version:
        """Make a version of a draft, whose files lie in a folder, and return it.

        Where the newest version answers from the same bytes and is held against the same, that
        one is returned; those of its blobs that the store has lost are brought back.

        Args:
            expected: Files as whoever made the folder knows them.

        Raises:
            IntegrityError: The folder lacks files, has links out of it, changes meanwhile, or
                holds a file that is not as expected.
        """
        check_name("model", draft.model)
        ready, paths = publishing.prepare(draft, folder, progress)
        publishing.check_expected(ready.files, expected, folder)
        numbers = self.versions(draft.model)
        newest = self.version(draft.model, numbers[-1]) if numbers else None
        if newest is not None and newest.fingerprint == ready.fingerprint:
            same = {
                name: file for name, file in newest.files.items() if ready.files.get(name) == file
            }
            publishing.upload(self.store, same, paths, progress)
            return newest
        publishing.upload(self.store, ready.files, paths, progress)
        last = numbers[-1] if numbers else 0
        return publishing.claim(
            self.store, ready, last, lambda number: self.version(draft.model, number)
        )

    def pull(self, version: Version, folder: Path, progress: Progress = silent) -> Path:
        """Bring a version's files into a folder, each verified; goes on where one broke off."""
        return pulling.pull(self.store, version, folder, progress)

    def verify(self, version: Version, progress: Progress = silent) -> None:
        """Read every blob of a version and compare its digest."""
        pulling.verify(self.store, version, progress)

    def channels(self, model: str) -> tuple[str, ...]:
        """Return the names of a model's channels."""
        check_name("model", model)
        return self.store.children(channels_prefix(model))

    def channel(self, model: str, name: str) -> Move | None:
        """Return where a channel points: its last entry."""
        numbers = self._moves(model, name)
        return channels.read_entry(self.store, model, name, numbers[-1]) if numbers else None

    def history(self, model: str, name: str) -> tuple[Move, ...]:
        """Return all entries of a channel, the oldest first."""
        read = partial(channels.read_entry, self.store, model, name)
        return tuple(ahead(read, self._moves(model, name), width=8))

    def move(self, model: str, channel: str, version: int, *, who: str, why: str) -> Move:
        """Point a channel at a version, and say who did it and why."""
        check_name("channel", channel)
        self.version(model, version)
        return channels.append(self.store, model, channel, version, who=who, why=why)

    def _moves(self, model: str, name: str) -> tuple[int, ...]:
        check_name("model", model)
        check_name("channel", name)
        return channels.moves_of(self.store, model, name)

    def _no_model(self, model: str) -> StoreError:
        return _unknown(f"there is no model {model!r} in {self.store.url}", model, self.models())

    def _no_version(self, model: str, number: int) -> StoreError:
        numbers = tuple(map(str, self.versions(model)))
        what = f"{model} has no version {number} in {self.store.url}"
        return _unknown(what, str(number), numbers) if numbers else self._no_model(model)

    def _no_channel(self, model: str, name: str) -> StoreError:
        what = f"{model} has no channel {name!r} in {self.store.url}"
        return (
            _unknown(what, name, self.channels(model))
            if self.versions(model)
            else self._no_model(model)
        )


def _unknown(what: str, name: str, known: tuple[str, ...]) -> StoreError:
    """Say what there is in place of what is not there, and which of it may be meant."""
    close = get_close_matches(name, known, n=1)
    meant = f" Did you mean {close[0]!r}?" if close and not name.isdigit() else ""
    more = f"{len(known) - LISTED} more, " if len(known) > LISTED else ""
    return StoreError(f"{what}.{meant} There is: {more}{', '.join(known[-LISTED:]) or 'none'}")
