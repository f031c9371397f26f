"""Whether an endpoint can be trusted with the one thing that publishing rests on."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from registry.errors import StoreError

WRITERS = 8


def probe(where: str, create: Callable[[bytes], bool], get: Callable[[], bytes | None]) -> None:
    """Let some writers create one object at once: one must win, and its bytes must be there.

    Some services ignore the condition of a conditional write, some check it too early to
    help in a race, and some keep the framing of the transfer inside the object.

    Raises:
        StoreError: The endpoint lets two publishers overwrite each other, or alters bytes.
    """
    bodies = [f"writer {number} of a probe\n".encode() for number in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        won = list(pool.map(create, bodies))
    if won.count(True) != 1:
        raise unsafe(where, f"of {WRITERS} writers of one object, {won.count(True)} succeeded")
    if get() != bodies[won.index(True)]:
        raise unsafe(where, "the object does not hold what the writer that won had sent")


def unsafe(where: str, why: str) -> StoreError:
    """Say that an endpoint does not do conditional writes."""
    return StoreError(
        f"{where}: the endpoint does not honour conditional writes (If-None-Match): {why}. Two "
        "publishers could overwrite each other there. Take another service; or, if there is never "
        "more than one publisher at a time, add ?single_writer=true to the store's URL"
    )
