"""The server's HTTP side, as a bare ASGI application: a framework costs more than the models."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic

from targets.serving.body import Message, Receive, read_body
from targets.serving.refusals import as_reply
from targets.serving.reply import CLOSE, Reply, refuse
from targets.serving.routes import ROUTES, Call, Room

Send = Callable[[Message], Awaitable[None]]

log = logging.getLogger("access")


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
            *(CLOSE if self.room.live.draining else ()),
        ]
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
        try:
            body = await read_body(receive, headers, self.room.live.limits)
            return await route.answer(self.room, Call(found.groupdict(), headers, body))
        except Exception as error:  # noqa: BLE001 - whatever it is, the server has to go on
            return as_reply(error)
        except asyncio.CancelledError:  # at the end of a drain: nobody goes without an answer
            return refuse(503, "the server ends")


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
