"""Ask an ASGI application, without a socket."""

import asyncio
from dataclasses import dataclass
from urllib.parse import unquote

HERE = {"host": "127.0.0.1:8080"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(app, path, method="GET", headers=HERE, body=b"") -> Answer:
    """Send a request and return its answer."""
    sent: list[dict] = []
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(path),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], head, sent[1]["body"])
