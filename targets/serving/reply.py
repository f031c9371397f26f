"""An HTTP answer, and the answers that every route may give."""

from dataclasses import dataclass

import orjson

Headers = tuple[tuple[bytes, bytes], ...]

CLOSE: Headers = ((b"connection", b"close"),)


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, body and headers beside the length."""

    status: int
    body: bytes = b""
    kind: bytes = b"application/json"
    headers: Headers = ()


def tell(value: object, status: int = 200) -> Reply:
    """Answer with a JSON value."""
    return Reply(status, orjson.dumps(value))


def refuse(status: int, why: str, headers: Headers = ()) -> Reply:
    """Answer with the protocol's error object."""
    body = orjson.dumps({"error": why.encode(errors="replace").decode()})
    return Reply(status, body, headers=headers)
