"""Records as they are kept in a store: JSON, and not believed until they are checked."""

from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError

from registry.contents import named
from registry.errors import IntegrityError
from registry.manifest import Move, Version
from registry.patching.needed import faulty_recipes
from registry.safe_path import faults_of
from registry.signature import Frozen

Record = TypeVar("Record", bound=Frozen)

#: Faults that are listed before it is enough.
_ENOUGH = 5


def write_record(record: Frozen) -> bytes:
    """Turn a record into bytes, and make sure that a reader will understand them."""
    data = record.model_dump_json(by_alias=True, indent=1).encode()
    if _parse(data, type(record), "a new record") != record:
        raise IntegrityError(f"the record cannot be written as JSON without loss: {record!r:.500}")
    return data


def read_version(data: bytes, key: str, model: str, number: int) -> Version:
    """Believe a version's manifest, or say why it cannot be.

    Raises:
        IntegrityError: It is malformed, another version's, or names files that it lacks or
            that could lie outside its folder.
    """
    version = _parse(data, Version, key)
    lacking = sorted(named(version) - set(version.files))
    faults = [*faults_of(version.files), *(f"{name!r} is not among its files" for name in lacking)]
    faults += faulty_recipes(version)
    if (version.model, version.number) != (model, number):
        faults.append(f"it is of {version.model}@{version.number}")
    if faults:
        raise _disbelieved(key, faults)
    return version


def read_move(data: bytes, key: str, channel: str, number: int) -> Move:
    """Believe an entry of a channel's history, or say why it cannot be."""
    return read_record(data, key, Move, {"channel": channel, "number": number})


def read_record(
    data: bytes, key: str, kind: type[Record], expected: Mapping[str, str | int]
) -> Record:
    """Believe a record whose key says what some of its fields hold, or say why it cannot be."""
    record = _parse(data, kind, key)
    faults = [
        f"its {field} is {getattr(record, field)!r}, not {wanted!r}"
        for field, wanted in expected.items()
        if getattr(record, field) != wanted
    ]
    if faults:
        raise _disbelieved(key, faults)
    return record


def _parse(data: bytes, kind: type[Record], key: str) -> Record:
    try:
        return kind.model_validate_json(data, strict=True)
    except ValidationError as error:
        faults = [
            ": ".join(filter(None, (".".join(map(str, fault["loc"])), fault["msg"])))
            for fault in error.errors(include_input=False, include_url=False)
        ]
        raise _disbelieved(key, faults) from error


def _disbelieved(key: str, faults: list[str]) -> IntegrityError:
    more = f"; and {len(faults) - _ENOUGH} more" if len(faults) > _ENOUGH else ""
    return IntegrityError(
        f"{key} cannot be believed: {'; '.join(faults[:_ENOUGH])}{more}. It was not written by "
        "this program, or by a newer one, or was changed after. Bring it back from a copy of the "
        "store, or remove it where there is none, and look at who may write to the store"
    )
