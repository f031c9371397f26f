"""The versions and channels in a store."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import MappingProxyType

from registry import channel as channels
from registry import publish as publishing
from registry import pull as pulling
from registry.checkup.doctor import examine
from registry.checkup.finding import Finding
from registry.cleaning.retention import Rule, let_go
from registry.cleaning.sweep import Sweeper
from registry.comparing.compare import compare
from registry.comparing.difference import Difference
from registry.errors import StoreError
from registry.exchange.copy import copy_version
from registry.exchange.export import Wish, export
from registry.layout import MODELS, channels_prefix
from registry.listing.kept import Kept
from registry.listing.overview import Overview, all_versions, overview
from registry.manifest import Draft, File, Move, Version
from registry.marks import Removal, Tag
from registry.progress import Progress, silent
from registry.reference import Reference, check_name, parse_reference
from registry.removal import mark_removed, read_removal
from registry.searching.condition import parse_condition
from registry.searching.usage import Usages, measure
from registry.side_by_side import ahead
from registry.signing.kept import keep_signature
from registry.signing.signer import Signer
from registry.signing.trust import Trust
from registry.store.store import Store
from registry.tag import new_tag, read_tag, set_tag, tags_of
from registry.unknown import no_channel, no_model, no_version
from registry.versions import believe, find_commit, usable

#: Of a folder that nobody has digested before.
NOTHING_EXPECTED: Mapping[str, File] = MappingProxyType({})

NO_VERSIONS: Mapping[Path, Version] = MappingProxyType({})


class Catalog:
    """What is published in a store. Holds no state: another process may publish at any time.

    Methods raise `StoreError` where the store fails or does not hold what was asked for, and
    `IntegrityError` where what it holds is not what was published.
    """

    def __init__(self, store: Store, trust: Trust | None = None, cache: Path | None = None) -> None:
        self.store, self.trust, self._kept = store, trust, Kept(cache)

    def models(self) -> tuple[str, ...]:
        """Return the names of all models."""
        return self.store.children(MODELS)

    def versions(self, model: str) -> tuple[int, ...]:
        """Return the numbers of a model's versions, in order, without those that were removed."""
        check_name("model", model)
        return usable(self.store, model)

    def version(self, model: str, number: int) -> Version:
        """Return a version, also one that was removed: it says what it was.

        Raises:
            IntegrityError: It cannot be believed, or nobody whom this catalog trusts signed it.
        """
        check_name("model", model)
        commit = find_commit(self.store, model, number)
        if commit is None:
            raise no_version(self.store, model, number)
        version = believe(commit, model, number)
        if self.trust is not None:
            self.trust.check(self.store, model, number, commit)
        return version

    def sign(self, model: str, number: int, signer: Signer) -> None:
        """Put a signature of its commit object, and so of all its files, beside a version."""
        check_name("model", model)
        commit = find_commit(self.store, model, number)
        if commit is None:
            raise no_version(self.store, model, number)
        believe(commit, model, number)
        keep_signature(self.store, model, number, signer.sign(commit))

    def resolve(self, reference: str) -> Version:
        """Return the version that MODEL (the newest), MODEL@7, MODEL@channel or MODEL@tag means."""
        wanted = parse_reference(reference)
        if wanted.number is not None:
            self._check_not_removed(wanted.model, wanted.number)
            return self.version(wanted.model, wanted.number)
        if wanted.channel is not None:
            return self.version(wanted.model, self._pointed_at(wanted.model, wanted.channel))
        numbers = self.versions(wanted.model)
        if not numbers:
            raise no_model(self.store, wanted.model)
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

        def upload(files: Mapping[str, File]) -> None:
            publishing.upload_files(self.store, files, paths, progress)

        return publishing.publish(self.store, ready, upload)

    def copy(self, version: Version, other: "Catalog", progress: Progress = silent) -> Version:
        """Make a version of another catalog's one of this; blobs that are there stay there.

        Raises:
            IntegrityError: A blob of the other is not what was published.
        """
        return copy_version(other.store, self.store, version, progress)

    def pull(
        self,
        version: Version,
        folder: Path,
        progress: Progress = silent,
        *,
        near: Mapping[Path, Version] = NO_VERSIONS,
    ) -> Path:
        """Bring a version's files into a folder, each verified; goes on where one broke off.

        Args:
            near: Versions that this host has, by folder: what they share is linked, not fetched.
        """
        files = {
            file.digest: other / name
            for other, held in near.items()
            for name, file in held.files.items()
        }
        return pulling.pull(self.store, version, folder, progress, files)

    def export(self, version: Version, out: Path, wish: Wish, progress: Progress = silent) -> Path:
        """Lay a build out for a tool, and return the file to start that with."""
        return export(self.store, version, out, wish, progress)

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
        self._check_not_removed(model, version)
        if read_tag(self.store, model, channel) is not None:
            raise StoreError(f"{model}@{channel} is a tag, which does not move. Take another name")
        return channels.append(self.store, model, channel, version, who=who, why=why)

    def tags(self, model: str) -> tuple[Tag, ...]:
        """Return a model's tags by name."""
        check_name("model", model)
        found = (read_tag(self.store, model, name) for name in tags_of(self.store, model))
        return tuple(tag for tag in found if tag is not None)

    def tag(self, model: str, name: str, version: int, *, who: str, why: str) -> Tag:
        """Give a version a name for good; it keeps the version from being retired by a rule."""
        check_name("channel", name)
        self.version(model, version)
        self._check_not_removed(model, version)
        if self.channel(model, name) is not None:
            raise StoreError(f"{model}@{name} is a channel. Take another name for the tag")
        return set_tag(self.store, model, new_tag(name, version, who=who, why=why))

    def removal(self, model: str, number: int) -> Removal | None:
        """Return who removed a version and why, or None where nobody has."""
        check_name("model", model)
        return read_removal(self.store, model, number)

    def remove(self, model: str, number: int, *, who: str, why: str) -> Removal:
        """Take a version out of use; its number is never given again, its blobs go with a sweep.

        Raises:
            StoreError: A channel points to it, or a tag names it.
        """
        self.version(model, number)
        holders = [
            *(f"channel {name}" for name, at in self.pointers(model).items() if at == number),
            *(f"tag {tag.name}" for tag in self.tags(model) if tag.version == number),
        ]
        if holders:
            raise StoreError(
                f"{model}@{number} is held by {' and '.join(holders)}. Move the channel first: "
                "pipeline registry promote; what a tag names stays"
            )
        return mark_removed(self.store, model, number, who=who, why=why)

    def every(self, model: str | None = None) -> Iterator[Version]:
        """Read all versions, of one model or of all, in order.

        Raises:
            IntegrityError: One cannot be believed.
        """
        if model is not None:
            check_name("model", model)
        return all_versions(self.store, self._kept, model)

    def overview(self) -> Overview:
        """Return all models with their versions and channels, by one listing."""
        return overview(self.store, self._kept)

    def search(self, conditions: Iterable[str], model: str | None = None) -> Iterator[Version]:
        """Find the versions that meet all conditions, such as `target=openvino*`."""
        wanted = tuple(map(parse_condition, conditions))
        return (
            version for version in self.every(model) if all(one.holds(version) for one in wanted)
        )

    def usage(self) -> Usages:
        """Return what versions and models take up, of their own and shared."""
        return measure(self.every())

    def diff(self, one: Version, other: Version) -> Difference:
        """Say what two versions differ in; reads no more of their files than differs."""
        return compare(self.store, one, other)

    def let_go(self, model: str, rule: Rule) -> tuple[int, ...]:
        """Return the numbers of the versions that a rule of retention would remove."""
        check_name("model", model)
        return let_go(self.store, model, rule)

    def sweeper(self, grace: timedelta) -> Sweeper:
        """Return what finds and removes blobs that nothing needs.

        Args:
            grace: How long a removed version, and a blob of a push that failed, are kept.
        """
        return Sweeper(self.store, grace)

    def examine(self) -> Iterator[Finding]:
        """Try out, check by check, whether the store does what versions rest on."""
        return examine(self.store)

    def pointers(self, model: str) -> dict[str, int]:
        """Return where each of a model's channels points."""
        moves = {name: self.channel(model, name) for name in self.channels(model)}
        return {name: move.version for name, move in moves.items() if move}

    def _moves(self, model: str, name: str) -> tuple[int, ...]:
        check_name("model", model)
        check_name("channel", name)
        return channels.moves_of(self.store, model, name)

    def _pointed_at(self, model: str, name: str) -> int:
        """Find the version that a channel points to, or that a tag names."""
        if move := self.channel(model, name):
            return move.version
        if tag := read_tag(self.store, model, name):
            return tag.version
        raise no_channel(self.store, model, name)

    def _check_not_removed(self, model: str, number: int) -> None:
        if gone := read_removal(self.store, model, number):
            raise StoreError(
                f"{Reference(model, number)} was removed by {gone.who} on {gone.when:%Y-%m-%d}: "
                f"{gone.why}. Take another: pipeline registry ls {model}"
            )
