"""The pages and the API as a bare ASGI application."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus

from registry.web.answers import JSON, PAGE_POLICY
from registry.web.body import Message, Receive, read_body
from registry.web.call import Call, Reply, read_fields
from registry.web.hosts import check_host
from registry.web.in_thread import in_thread
from registry.web.reading import check_there
from registry.web.refusals import MethodError, NotThereError, explain
from registry.web.render import render
from registry.web.room import Room
from registry.web.routes import ROUTES, Route

Send = Callable[[Message], Awaitable[None]]

#: Requests that read the store at the same time.
_PLACES = 8

#: Of every answer; one of the reply's own takes its place.
_HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def _places() -> asyncio.Semaphore:
    return asyncio.Semaphore(_PLACES)


@dataclass(frozen=True)
class App:
    """Answer HTTP requests by the table of routes."""

    room: Room
    places: asyncio.Semaphore = field(default_factory=_places)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")
        reply = await self._reply(scope, receive)
        sent = _HEADERS | {"Content-Type": reply.kind, "Content-Length": str(len(reply.body))}
        sent |= dict(reply.headers)
        headers = [(name.lower().encode(), value.encode()) for name, value in sent.items()]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def _reply(self, scope: Message, receive: Receive) -> Reply:
        refuse = partial(_refuse, as_json=scope["path"].startswith("/api/"))
        try:
            headers = {name.decode("latin-1"): v.decode("latin-1") for name, v in scope["headers"]}
            check_host(headers.get("host", ""), self.room.hosts)
            route, names = _find(scope["path"])
            _check_method(scope, route)
            body = await read_body(receive) if scope["method"] == "POST" else b""
            query = read_fields(scope["query_string"].decode("latin-1"))
            call = Call(self.room, names, query, headers, body)
            return await in_thread(partial(route.answer, call), self.places)
        except MethodError as error:
            return refuse(*explain(error), headers=(("Allow", ", ".join(route.methods)),))
        except Exception as error:  # noqa: BLE001 - whatever it is, the server has to go on
            return refuse(*explain(error))
        except asyncio.CancelledError:  # at the end of the server: nobody goes without an answer
            return refuse(HTTPStatus.SERVICE_UNAVAILABLE, "the server ends")


def _find(path: str) -> tuple[Route, dict[str, str]]:
    for route in ROUTES:
        if found := route.path.fullmatch(path):
            names = found.groupdict()
            for what in ("model", "channel"):
                if what in names:
                    check_there(what, names[what])
            return route, names
    raise NotThereError(f"{path[:200]!r}: there is nothing here")


def _check_method(scope: Message, route: Route) -> None:
    if scope["method"] not in route.methods:
        raise MethodError(f"{scope['method'][:20]} is not for {scope['path'][:200]}")


def _refuse(
    status: HTTPStatus, text: str, *, as_json: bool, headers: tuple[tuple[str, str], ...] = ()
) -> Reply:
    if as_json:
        return Reply(status, json.dumps({"error": text}).encode(), JSON, headers)
    page = render("refusal", status=status.value, phrase=status.phrase, text=text)
    return Reply(status, page, headers=headers)
