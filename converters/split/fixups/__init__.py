"""Rewrites of a graph that the parts' formats need: one file a rewrite."""

from collections.abc import Callable

from converters.split.body import Body
from converters.split.fixups import (
    masked_put,
    masked_select,
    no_grad,
    promote,
    renorm,
    squeeze,
    unpool,
)

#: `no_grad` comes first: the others look into what it brings out.
FIXUPS: tuple[Callable[[Body], None], ...] = (
    no_grad.fix,
    masked_put.fix,
    masked_select.fix,
    promote.fix,
    renorm.fix,
    squeeze.fix,
    unpool.fix,
)
