"""Fill templates; whatever a store says is escaped."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from registry.graphs.parts import parts_of
from registry.signature import Frozen
from registry.web.graph_picture import graph_picture
from registry.web.parity_picture import parity_picture
from registry.web.speed_picture import speed_pictures
from registry.web.words import (
    counted,
    error_text,
    latency,
    machine_time,
    moment,
    plain,
    size,
)

if TYPE_CHECKING:
    from jinja2 import Environment


def render(name: str, look: Frozen | None = None, **told: str | int | None) -> bytes:
    """Return a page."""
    return _environment().get_template(f"{name}.html.j2").render(look=look, **told).encode()


@cache
def fixed(name: str) -> bytes:
    """Return a file that all pages share: the style sheet, the icon."""
    return files("registry.web").joinpath("templates", name).read_bytes()


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  loads slowly
    from markupsafe import Markup  # noqa: PLC0415

    def shown(value: object) -> object:
        """Leave nothing in a text that could turn a line round or hide."""
        return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("registry.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    environment.filters.update(
        size=size, moment=moment, machine_time=machine_time, error=error_text, latency=latency
    )
    environment.globals.update(
        counted=counted,
        graph_picture=graph_picture,
        parts_of=parts_of,
        parity_picture=parity_picture,
        speed_pictures=speed_pictures,
    )
    return environment
