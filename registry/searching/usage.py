"""What versions take up in a store: bytes of their own, and bytes that they share."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from registry.manifest import Version
from registry.patching.needed import blobs_of

Key = TypeVar("Key")


@dataclass(frozen=True)
class Usage:
    """What something takes up.

    Attributes:
        bytes: Of all its blobs, each counted once.
        own: Of blobs that nothing else has: what is freed when it goes.
    """

    bytes: int
    own: int

    @property
    def shared(self) -> int:
        """Bytes of blobs that something else has too."""
        return self.bytes - self.own


@dataclass(frozen=True)
class Usages:
    """What each version, each model and all of them take up."""

    versions: Mapping[tuple[str, int], Usage]
    models: Mapping[str, Usage]
    total: int


def measure(versions: Iterable[Version]) -> Usages:
    """Sum up what versions take up."""
    blobs: dict[tuple[str, int], dict[str, int]] = {}
    models: dict[str, dict[str, int]] = {}
    for version in versions:
        sizes = {digest: blob.size for digest, (_, blob) in blobs_of(version).items()}
        blobs[version.model, version.number] = sizes
        models.setdefault(version.model, {}).update(sizes)
    return Usages(_shares(blobs), _shares(models), _total(models.values()))


def _shares(blobs: Mapping[Key, Mapping[str, int]]) -> dict[Key, Usage]:
    holders = Counter(digest for sizes in blobs.values() for digest in sizes)
    return {
        key: Usage(
            bytes=sum(sizes.values()),
            own=sum(size for digest, size in sizes.items() if holders[digest] == 1),
        )
        for key, sizes in blobs.items()
    }


def _total(all_sizes: Iterable[Mapping[str, int]]) -> int:
    return sum({digest: size for sizes in all_sizes for digest, size in sizes.items()}.values())
