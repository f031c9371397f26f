"""Take a port for a server, or say why it cannot be had."""

import errno
import socket

from registry.errors import ServeError


def listen(host: str, port: int, backlog: int) -> socket.socket:
    """Listen at an address, which is one of IPv6 if it holds a colon.

    Raises:
        ServeError: There is no such address here, or somebody else has the port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(backlog)
    except (OSError, OverflowError, TypeError) as error:
        listener.close()
        raise ServeError(f"{host}:{port} cannot be had: {error}. {_remedy(error)}") from error
    return listener


def _remedy(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in {errno.EADDRINUSE, errno.EACCES}:
        return "Stop what listens there, or take another --port"
    return "Name an address of this host with --host"
