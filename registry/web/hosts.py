"""Which names a server may be called by: else another site's name could be pointed at it."""

import re
from collections.abc import Collection
from ipaddress import ip_address

from registry.web.refusals import MisdirectedError

_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")


def check_host(host: str, names: Collection[str]) -> None:
    """Refuse a request for a name that is not this server's.

    An IP address is no name: a page that was loaded by one is this server's own.

    Raises:
        MisdirectedError: The name is another's.
    """
    match = _HOST.fullmatch(host)
    name = match["name"].lower().strip("[]").rstrip(".") if match else ""
    if not match or not (name in {"localhost", *names} or _is_address(name)):
        raise MisdirectedError(
            f"host {host[:100]!r} is not a name of this server. Start it with --allow-host NAME"
        )


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
