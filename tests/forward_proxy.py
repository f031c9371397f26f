"""A proxy that clients are told of by HTTP_PROXY and HTTPS_PROXY; it counts what it is asked."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler

from tests.rough_proxy import Handler, Rough, Server


class ForwardHandler(Handler):
    """Takes whole URLs, and tunnels."""

    server: "ForwardServer"

    def parse_request(self) -> bool:
        """Note the request, and leave of its URL what the server behind is told."""
        if not BaseHTTPRequestHandler.parse_request(self):
            return False
        self.server.asked.append(self.command)
        self.path = self.path.removeprefix(self.server.target.geturl())
        return True

    def do_CONNECT(self) -> None:  # noqa: N802
        """Carry bytes both ways until one side has enough."""
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as server:
            self.send_response_only(200)
            self.end_headers()
            back = threading.Thread(target=carry, args=(server, self.connection), daemon=True)
            back.start()
            carry(self.connection, server)
            back.join(10)
        self.close_connection = True


class ForwardServer(Server):
    """Listens as `Server` does.

    Attributes:
        asked: The methods of all requests; `CONNECT` for a tunnel, however many go through it.
    """

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint, Rough((), share=0))
        self.RequestHandlerClass = ForwardHandler
        self.asked: list[str] = []


def carry(source: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            to.sendall(data)
    with suppress(OSError):
        to.shutdown(socket.SHUT_WR)


@contextmanager
def forward_proxy(endpoint: str) -> Iterator[tuple[str, list[str]]]:
    """Run a proxy on the way to a server; give its URL, and what it was asked so far."""
    with ForwardServer(endpoint) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", server.asked
        finally:
            server.shutdown()
