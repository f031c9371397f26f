"""Where a channel goes back to."""

from registry.errors import RolloutError
from registry.manifest import Move


def previous_version(reference: str, history: tuple[Move, ...]) -> int:
    """Find the version that was live before the one that is.

    A move to a version that was live earlier counts as going back to it, so that going
    back twice goes back two versions and does not come forth again. Nothing before the channel
    was dropped counts.

    Args:
        reference: MODEL@CHANNEL, whose history it is.

    Raises:
        RolloutError: There is nothing to go back to.
    """
    path: list[int] = []
    for move in history:
        if move.dropped:
            path.clear()
        elif move.version in path:
            del path[path.index(move.version) + 1 :]
        else:
            path.append(move.version)
    if len(path) < 2:
        raise RolloutError(
            f"{reference}: there is no version to go back to. Name one with --version; "
            f"`pipeline registry ls {reference.partition('@')[0]}` lists them"
        )
    return path[-2]
