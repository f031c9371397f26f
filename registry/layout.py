"""Where things are in a store."""

import re

MODELS = "models/"
BLOBS = "blobs/sha256/"

#: Marks of the rows of blobs that are shards.
ROWS = "rows/"

#: What publishers and sweeps tell each other, and what is written to see how a store behaves.
PUBLISHING = "publishing/"
SWEEPING = "sweeping/"
PROBES = "probes/"

#: Whose signatures count, as the store says.
TRUST = "trust/"

#: Which models are about to change, and what all of them were at some time.
CHANGES = "changes/"
INDEX = "index/"

#: Marks of blobs that were found corrupt.
CORRUPT = "corrupt/"

_NUMBER = re.compile(r"([0-9]{6,18})\.json")


def blob_key(digest: str) -> str:
    """Name the blob with a digest."""
    return f"{BLOBS}{digest[:2]}/{digest}"


def rows_key(digest: str) -> str:
    """Name the marks of the rows of a blob."""
    return f"{ROWS}{digest[:2]}/{digest}"


def versions_prefix(model: str) -> str:
    """Name the place of a model's commit objects."""
    return f"{MODELS}{model}/versions/"


def removed_prefix(model: str) -> str:
    """Name the place of the marks of a model's removed versions."""
    return f"{MODELS}{model}/removed/"


def signatures_prefix(model: str, number: int) -> str:
    """Name the place of a version's signatures."""
    return f"{MODELS}{model}/signatures/{number:06d}/"


def tags_prefix(model: str) -> str:
    """Name the place of a model's tags."""
    return f"{MODELS}{model}/tags/"


def tag_key(model: str, tag: str) -> str:
    """Name a tag."""
    return f"{tags_prefix(model)}{tag}.json"


def channels_prefix(model: str) -> str:
    """Name the place of a model's channels."""
    return f"{MODELS}{model}/channels/"


def channel_prefix(model: str, channel: str) -> str:
    """Name the place of the entries of a channel's history."""
    return f"{channels_prefix(model)}{channel}/"


def numbered(prefix: str, number: int) -> str:
    """Name an entry of a numbered series."""
    return f"{prefix}{number:06d}.json"


def numbers_in(names: tuple[str, ...]) -> tuple[int, ...]:
    """Read the numbers of a series, in order; what is not of it is passed over."""
    return tuple(sorted(number for name in names if (number := number_of(name))))


def number_of(name: str) -> int | None:
    """Read the number of an entry of a series, which is at least 1."""
    match = _NUMBER.fullmatch(name)
    return int(match[1]) or None if match else None
