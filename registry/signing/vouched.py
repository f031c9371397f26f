"""Moves of channels and tags that carry the signature of who made them."""

import json
from typing import TypeVar

from registry.manifest import Move
from registry.marks import Tag
from registry.signing.signer import Signs

#: The name under which they are signed, so that no signature of a version counts for one.
FILE = "record.json"

Record = TypeVar("Record", Move, Tag)


def vouched_bytes(model: str, record: Move | Tag) -> bytes:
    """Return what is signed of a record: all that it says, of which model, and what it is.

    What is as it is by itself is left out, so that records may learn to say more.
    """
    said = record.model_dump(mode="json", exclude={"signature"}, exclude_defaults=True)
    told = {"kind": type(record).__name__.lower(), "model": model, "record": said}
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()


def vouch(model: str, record: Record, signer: Signs | None) -> Record:
    """Return a record with a signature, if there is somebody who signs.

    Raises:
        StoreError: They cannot sign.
    """
    if signer is None:
        return record
    signature = signer.sign(vouched_bytes(model, record), FILE).decode()
    return record.model_copy(update={"signature": signature})


def named(model: str, record: Move | Tag) -> str:
    """Say what a record does, for messages."""
    what = "the tag" if isinstance(record, Tag) else f"move {record.number} of"
    name = record.name if isinstance(record, Tag) else record.channel
    return f"{what} {model}@{name}, to version {record.version} by {record.who},"
