"""What versions there are in a store, and the names they go by: number, channel, tag."""

from functools import partial

from registry import channel as channels
from registry.channel import Reason, Series
from registry.errors import IntegrityError, StoreError
from registry.layout import MODELS, channels_prefix
from registry.manifest import Move, Version
from registry.marks import Removal, Tag
from registry.reference import Reference, check_name, parse_reference
from registry.removal import mark_removed, read_removal
from registry.side_by_side import ahead
from registry.signing.kept import keep_signature
from registry.signing.signer import Signs
from registry.signing.trust import Believer
from registry.signing.vouched import Record, vouch
from registry.store.store import Store
from registry.tag import new_tag, read_tag, set_tag, tags_of
from registry.unknown import no_channel, no_model, no_version
from registry.versions import believe, find_commit, usable


class Names:
    """The small records of a store: a catalog without the files.

    Args:
        trust: Whose signatures count; None believes all that is whole.
        signer: Who signs moves of channels, and tags; None leaves them without a signature.
    """

    def __init__(
        self, store: Store, trust: Believer | None = None, signer: Signs | None = None
    ) -> None:
        self.store, self.trust, self.signer = store, trust, signer

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
        return self.believed(commit, model, number)

    def believed(self, commit: bytes, model: str, number: int) -> Version:
        """Return the version that a commit object tells of; raises as `version`."""
        version = believe(commit, model, number)
        if self.trust is not None:
            self.trust.check(self.store, model, number, commit)
        return version

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

    def channels(self, model: str) -> tuple[str, ...]:
        """Return the names of a model's channels."""
        check_name("model", model)
        return self.store.children(channels_prefix(model))

    def channel(self, model: str, name: str) -> Move | None:
        """Return where a channel points: its last entry, or None where that dropped it.

        Raises:
            IntegrityError: Nobody whom this catalog trusts signed that, and somebody is to.
        """
        move = self.last_move(model, name)
        return None if move is None else self._believed(model, move)

    def last_move(self, model: str, name: str) -> Move | None:
        """Return the same, by whomever it was moved: to show it, or to move it again."""
        check_name("model", model)
        check_name("channel", name)
        return channels.pointed(self.store, model, name)

    def history(self, model: str, name: str) -> tuple[Move, ...]:
        """Return all entries of a channel, the oldest first."""
        read = partial(channels.read_entry, self.store, model, name)
        check_name("model", model)
        check_name("channel", name)
        return tuple(ahead(read, channels.moves_of(self.store, model, name), width=8))

    def pointers(self, model: str) -> dict[str, int]:
        """Return where each of a model's channels points, by whomever it was moved."""
        moves = {name: self.last_move(model, name) for name in self.channels(model)}
        return {name: move.version for name, move in moves.items() if move}

    def move(self, model: str, channel: str, version: int, *, who: str, why: str) -> Move:
        """Point a channel at a version, and say who did it and why."""
        return self.point(model, channel, version, Reason(who, why))

    def point(self, model: str, channel: str, version: int, reason: Reason) -> Move:
        """Point a channel at a version, for a reason that may name a rollout's serving place."""
        check_name("channel", channel)
        self.version(model, version)
        self._check_not_removed(model, version)
        if read_tag(self.store, model, channel) is not None:
            raise StoreError(f"{model}@{channel} is a tag, which does not move. Take another name")
        return channels.append(self._series(model, channel), version, reason)

    def drop(self, model: str, channel: str, *, who: str, why: str) -> Move:
        """Let a channel point nowhere, so that it holds no version; its history stays.

        Raises:
            StoreError: There is no such channel.
        """
        check_name("model", model)
        check_name("channel", channel)
        dropped = channels.drop(self._series(model, channel), Reason(who, why))
        if dropped is None:
            raise no_channel(self.store, model, channel)
        return dropped

    def tags(self, model: str) -> tuple[Tag, ...]:
        """Return a model's tags by name."""
        check_name("model", model)
        found = (read_tag(self.store, model, name) for name in tags_of(self.store, model))
        return tuple(tag for tag in found if tag is not None)

    def tag(self, model: str, name: str, version: int, *, who: str, why: str) -> Tag:
        """Give a version a name for good; it keeps the version from being retired by a rule."""
        check_name("tag", name)
        self.version(model, version)
        self._check_not_removed(model, version)
        if self.last_move(model, name) is not None:
            raise StoreError(f"{model}@{name} is a channel. Take another name for the tag")
        tag = vouch(model, new_tag(name, version, who=who, why=why), self.signer)
        return self._believed(model, set_tag(self.store, model, self._believed(model, tag)))

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
                "pipeline registry promote, or drop; what a tag names stays"
            )
        return mark_removed(self.store, model, number, who=who, why=why)

    def sign(self, model: str, number: int, signer: Signs) -> None:
        """Put a signature of its commit object, and so of all its files, beside a version."""
        check_name("model", model)
        commit = find_commit(self.store, model, number)
        if commit is None:
            raise no_version(self.store, model, number)
        believe(commit, model, number)
        keep_signature(self.store, model, number, signer.sign(commit))

    def _pointed_at(self, model: str, name: str) -> int:
        """Find the version that a channel points to, or that a tag names."""
        if move := self.channel(model, name):
            return move.version
        if tag := read_tag(self.store, model, name):
            return self._believed(model, tag).version
        raise no_channel(self.store, model, name)

    def _believed(self, model: str, record: Record) -> Record:
        """Return a move or a tag, if it is believed."""
        if self.trust is not None:
            self.trust.check_record(self.store, model, record)
        return record

    def _series(self, model: str, channel: str) -> Series:
        return Series(
            self.store,
            model,
            channel,
            vouch=lambda move: self._believed(model, vouch(model, move, self.signer)),
            stands=lambda move: self._stands(model, move),
        )

    def _stands(self, model: str, move: Move) -> bool:
        try:
            self._believed(model, move)
        except IntegrityError:
            return False
        return True

    def _check_not_removed(self, model: str, number: int) -> None:
        if gone := read_removal(self.store, model, number):
            raise StoreError(
                f"{Reference(model, number)} was removed by {gone.who} on {gone.when:%Y-%m-%d}: "
                f"{gone.why}. Take another: pipeline registry ls {model}"
            )
