"""Which servers run on this host: one small file each, in the cache folder."""

from pathlib import Path

from pydantic import ValidationError

from registry.signature import Frozen


class Presence(Frozen):
    """A server that said it runs. It may have died since: `instance` tells it from others.

    Attributes:
        reference: What it follows.
        store: The store's URL, as it was given.
    """

    model: str
    reference: str
    store: str
    host: str
    port: int
    pid: int
    instance: str


def announce(cache: Path, presence: Presence) -> Path:
    """Write the file that rollouts find the server by; the server removes it when it ends."""
    folder = _folder(cache, presence.model)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{presence.port}.json"
    unready = path.with_suffix(f".{presence.pid}")
    unready.write_text(presence.model_dump_json())
    unready.replace(path)
    return path


def announced(cache: Path, model: str) -> tuple[Presence, ...]:
    """Read who said to serve a model here. Torn or foreign files count as nobody."""
    found = []
    for path in sorted(_folder(cache, model).glob("*.json")):
        try:
            found.append(Presence.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            continue
    return tuple(found)


def withdraw(path: Path, instance: str) -> None:
    """Remove a server's own file, unless another server has taken its port since."""
    try:
        if Presence.model_validate_json(path.read_bytes()).instance == instance:
            path.unlink()
    except (OSError, ValidationError):
        return


def _folder(cache: Path, model: str) -> Path:
    return cache / "serving" / model
