"""Read protobuf messages field by field, without their schema's code."""

from collections.abc import Iterator

Bytes = memoryview

_VARINT, _EIGHT, _LENGTH, _FOUR = 0, 1, 2, 5


def fields(data: Bytes, wanted: int) -> Iterator[Bytes]:
    """Give the length-delimited fields of a message that have a number.

    Raises:
        ValueError: The message is none, as far as it was read.
        IndexError: It ends in the middle of a number.
    """
    return (field for number, field in all_fields(data) if number == wanted)


def all_fields(data: Bytes) -> Iterator[tuple[int, Bytes]]:
    """Give all length-delimited fields of a message with their numbers; errors as above."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == _LENGTH:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError("a field leads out of its message")
            yield number, data[at : at + size]
            at += size
        elif kind == _VARINT:
            _, at = _varint(data, at)
        elif kind in (_EIGHT, _FOUR):
            at += 8 if kind == _EIGHT else 4
        else:
            raise ValueError("not a field of protobuf")


def _varint(data: Bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("not a number of protobuf")
