"""Constants in rewrites of ONNX, matched as they are: 1e-16 is no 0."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace


@contextmanager
def exact_constants() -> Iterator[None]:
    """Have the exporter's rewrites take a constant for 0 or 1 only where it is.

    They allow 1e-8 more or less, and leave out `+ 1e-16`: what keeps a mean over nothing from
    being nan.
    """
    from onnxscript.rewriter import _matcher

    was = _matcher.math
    vars(_matcher)["math"] = SimpleNamespace(isclose=_equal)
    try:
        yield
    finally:
        vars(_matcher)["math"] = was


def _equal(one: float, other: float, **_: float) -> bool:
    return one == other
