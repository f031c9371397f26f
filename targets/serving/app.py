"""The server's HTTP side, as a bare ASGI application: a framework costs more than the models."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from targets.serving.limits import Limits
from targets.serving.refusals import as_reply
from targets.serving.reply import Reply, refuse
from targets.serving.routes import ROUTES, Call, Room

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

log = logging.getLogger("access")

_CLOSE = ((b"connection", b"close"),)


@dataclass(frozen=True)
class App:
    """Answer HTTP requests by the table of routes.

    Attributes:
        log_requests: Log each request as an object in JSON.
    """

    room: Room
    log_requests: bool = False

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")
        since = monotonic()
        self.room.in_flight += 1
        try:
            reply = await self._reply(scope, receive)
        finally:
            self.room.in_flight -= 1
        headers = [
            (b"content-type", reply.kind),
            (b"content-length", str(len(reply.body)).encode()),
            *reply.headers,
        ]
        if self.room.live.draining:
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})
        if self.log_requests:
            _log(scope, reply, monotonic() - since)

    async def _reply(self, scope: Message, receive: Receive) -> Reply:
        path = scope["path"]
        for route in ROUTES:
            if found := route.path.fullmatch(path):
                break
        else:
            return refuse(404, f"{path[:200]}: there is nothing here")
        if scope["method"] not in route.methods:
            allowed = ", ".join(route.methods)
            return refuse(
                405, f"{scope['method']} is not for {path[:200]}", ((b"allow", allowed.encode()),)
            )
        headers = dict(scope["headers"])
        body = await _read_body(receive, headers, self.room.live.limits)
        if isinstance(body, Reply):
            return body
        try:
            return await route.answer(self.room, Call(found.groupdict(), headers, body))
        except Exception as error:  # noqa: BLE001 - whatever it is, the server has to go on
            return as_reply(error)


def _log(scope: Message, reply: Reply, seconds: float) -> None:
    line = {
        "client": (scope.get("client") or ("",))[0],
        "method": scope["method"],
        "path": scope["path"],
        "status": reply.status,
        "bytes": len(reply.body),
        "milliseconds": round(1000 * seconds, 3),
    }
    log.info("%s", json.dumps(line))


async def _read_body(
    receive: Receive, headers: dict[bytes, bytes], limits: Limits
) -> bytes | Reply:
    """Read the whole body, or answer why it is not taken."""
    announced = headers.get(b"content-length", b"0")
    if int(announced) > limits.body:
        return _too_large(limits)
    message = await receive()
    body = message.get("body", b"")
    if not message.get("more_body"):
        return body if len(body) <= limits.body else _too_large(limits)
    try:
        async with asyncio.timeout(limits.timeout):
            return await _read_on(receive, body, limits)
    except TimeoutError:
        return refuse(408, f"the body did not come within {limits.timeout:g} s", _CLOSE)


async def _read_on(receive: Receive, start: bytes, limits: Limits) -> bytes | Reply:
    body = bytearray(start)
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return refuse(400, "the client went away")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limits.body:
            return _too_large(limits)
    return bytes(body)


def _too_large(limits: Limits) -> Reply:
    return refuse(413, f"a body may have {limits.body} bytes at most", _CLOSE)
