"""Rewrites of a graph that the parts' formats need: one file a rewrite."""

from collections.abc import Callable

from converters.split.body import Body
from converters.split.fixups import masked_put, masked_select, renorm, squeeze

FIXUPS: tuple[Callable[[Body], None], ...] = (
    masked_put.fix,
    masked_select.fix,
    renorm.fix,
    squeeze.fix,
)
