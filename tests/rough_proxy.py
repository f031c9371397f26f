"""A proxy before an S3 server that does what networks and busy services do to requests."""

import http.client
import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

#: What can happen to a request and passes: see `Rough`. `skewed` stays: a clock is wrong.
KINDS = ("reset", "lost", "500", "503", "cut", "slow")

_CODES = {
    "500": (500, "InternalError"),
    "503": (503, "SlowDown"),
    "skewed": (403, "RequestTimeTooSkewed"),
}


@dataclass
class Rough:
    """What the proxy does, and has done.

    Attributes:
        kinds: Of these one happens to some requests: `reset` before the server sees it, `lost`
            when the server has done it, an error's answer in place of doing it, a body that is
            `cut` short, or comes in `slow` drops.
        share: Of requests that something happens to; the same request fares badly twice at most,
            unless it is 1.
        done: How often each kind happened.
    """

    kinds: tuple[str, ...]
    share: float = 0.3
    done: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    _chance: random.Random = field(default_factory=lambda: random.Random(3))
    _bad: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fate(self, request: str) -> str | None:
        with self._lock:
            self.requests += 1
            if self.share < 1 and (
                self._chance.random() > self.share or self._bad.get(request, 0) >= 2
            ):
                self._bad[request] = 0
                return None
            self._bad[request] = self._bad.get(request, 0) + 1
            kind = self._chance.choice(self.kinds)
            self.done[kind] = self.done.get(kind, 0) + 1
            return kind


class Handler(BaseHTTPRequestHandler):
    server: "Server"
    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        with suppress(OSError):  # a client that hung up
            super().handle()

    def pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fate = self.server.rough.fate(f"{self.command} {self.path} {self.headers.get('Range', '')}")
        if fate == "reset":
            self.reset()
        elif fate in _CODES:
            self.refuse(*_CODES[fate])
        else:
            self.answer(body, fate)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = pass_on  # noqa: N815

    def answer(self, body: bytes, fate: str | None) -> None:
        server = http.client.HTTPConnection(
            self.server.target.hostname, self.server.target.port, timeout=30
        )
        server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, text in self.headers.items():
            if name.lower() not in {"expect", "connection"}:
                server.putheader(name, text)
        server.endheaders(body)
        reply = server.getresponse()
        data = reply.read()
        server.close()
        if fate == "lost":
            self.reset()
        else:
            self.hand_over(reply, data, fate)

    def hand_over(self, reply: http.client.HTTPResponse, data: bytes, fate: str | None) -> None:
        self.send_response_only(reply.status)
        for name, text in reply.getheaders():
            if name.lower() not in {"transfer-encoding", "connection", "content-length"}:
                self.send_header(name, text)
        size = reply.getheader("Content-Length") if self.command == "HEAD" else len(data)
        if reply.status != 204:
            self.send_header("Content-Length", str(size or 0))
        self.end_headers()
        self.send(data, fate)

    def send(self, data: bytes, fate: str | None) -> None:
        if fate == "cut" and data:
            self.wfile.write(data[: len(data) // 2])
            self.reset()
        elif fate == "slow" and data:
            step = max(1, len(data) // 8)
            for start in range(0, len(data), step):
                self.wfile.write(data[start : start + step])
                time.sleep(0.02)
        else:
            self.wfile.write(data)

    def refuse(self, status: int, code: str) -> None:
        text = f"<Error><Code>{code}</Code><Message>told to</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(0 if self.command == "HEAD" else len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def reset(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def log_message(self, *told: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, endpoint: str, rough: Rough) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.target, self.rough = urlsplit(endpoint), rough

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextmanager
def rough_proxy(endpoint: str, rough: Rough) -> Iterator[str]:
    """Stand before a server, and give the endpoint to use instead."""
    with Server(endpoint, rough) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
