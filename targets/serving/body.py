"""Read a request's body, of bounded size and in bounded time."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from targets.serving.limits import Limits
from targets.serving.refusals import GoneError, SlowError, TooLargeError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


async def read_body(receive: Receive, headers: dict[bytes, bytes], limits: Limits) -> bytes:
    """Read a whole body.

    Raises:
        TooLargeError: It is larger than the limit, or says that it will be.
        SlowError: It did not come in time.
        GoneError: The client left.
    """
    if int(headers.get(b"content-length", b"0")) > limits.body:
        raise _too_large(limits)
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body") and len(body) <= limits.body:
        return body
    try:
        async with asyncio.timeout(limits.timeout):
            return await _read_on(receive, message, limits)
    except TimeoutError as error:
        raise SlowError(f"the body did not come within {limits.timeout:g} s") from error


async def _read_on(receive: Receive, message: Message, limits: Limits) -> bytes:
    body = bytearray()
    while True:
        if message["type"] == "http.disconnect":
            raise GoneError("the client left before its request was complete")
        body += message.get("body", b"")
        if len(body) > limits.body:
            raise _too_large(limits)
        if not message.get("more_body"):
            return bytes(body)
        message = await receive()


def _too_large(limits: Limits) -> TooLargeError:
    return TooLargeError(f"a body may have {limits.body} bytes at most")
