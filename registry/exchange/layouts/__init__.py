"""Serving views: what other tools find in a folder."""

from registry.exchange.layouts import kserve, ovms, plain, torchserve
from registry.exchange.layouts.layout import Layout

LAYOUTS: tuple[Layout, ...] = (
    plain.PLAIN,
    ovms.OVMS,
    kserve.KSERVE,
    torchserve.TORCHSERVE,
)
