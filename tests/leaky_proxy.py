"""A proxy that lets requests through and loses some of the answers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


@contextmanager
def leaky_proxy(endpoint: str, request: bytes, after: int = 0) -> Iterator[str]:
    """Stand before a server, and give the endpoint to use instead.

    Args:
        request: Start of a request; of the answer to the first such one, the connection
            breaks after `after` bytes.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    lost = threading.Event()

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=carry, args=(client,), daemon=True).start()

    def carry(client: socket.socket) -> None:
        target = urlsplit(endpoint)
        with client, socket.create_connection((target.hostname, target.port)) as server:
            loses = threading.Event()
            answers = threading.Thread(target=answer, args=(server, client, loses), daemon=True)
            answers.start()
            with suppress(OSError):
                while data := client.recv(1 << 16):
                    if data.startswith(request) and not lost.is_set():
                        lost.set()
                        loses.set()
                    server.sendall(data)
                server.shutdown(socket.SHUT_WR)
            answers.join(10)

    def answer(server: socket.socket, client: socket.socket, loses: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                if loses.is_set() and not data.startswith(b"HTTP/1.1 100"):
                    client.sendall(data[:after])
                    break
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    assert lost.is_set(), "the request that was to be lost was never made"
