"""What tools warn of while something is done, heard by whoever asked for it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from registry.composition import Remark

_HEARD: ContextVar[list[Remark] | None] = ContextVar("heard", default=None)


@contextmanager
def hearing() -> Iterator[list[Remark]]:
    """Yield a list that fills with the remarks that are told within the block, each once."""
    heard: list[Remark] = []
    before = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(before)


def tell(remarks: Iterable[Remark]) -> None:
    """Tell whoever is hearing; nobody where nobody is."""
    heard = _HEARD.get()
    if heard is not None:
        heard += [remark for remark in dict.fromkeys(remarks) if remark not in heard]
