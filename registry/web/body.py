"""Read a request's body, of bounded size and in bounded time."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from registry.web.refusals import RefusalError, SlowError, TooLargeError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

#: Bytes of a form.
MOST = 16 << 10

_SECONDS = 10


async def read_body(receive: Receive) -> bytes:
    """Read a whole body.

    Raises:
        TooLargeError: It is larger than a form of ours.
        SlowError: It did not come in time.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RefusalError("the client left before its request was complete")
                body += message.get("body", b"")
                if len(body) > MOST:
                    raise TooLargeError(f"a form may have {MOST} bytes at most")
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError as error:
        raise SlowError(f"the body did not come within {_SECONDS} s") from error
