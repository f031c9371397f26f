"""Which request is answered by what."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from registry.web.answers import (
    go_to_models,
    show,
    show_icon,
    show_report,
    show_style,
    tell,
    tell_api,
)
from registry.web.call import Call, Reply
from registry.web.moving import promote
from registry.web.screens import SCREENS, pattern_of

READ = ("GET", "HEAD")


@dataclass(frozen=True)
class Route:
    """A path, the methods that it takes, and what answers."""

    path: re.Pattern[str]
    answer: Callable[[Call], Reply]
    methods: tuple[str, ...] = READ


ROUTES: tuple[Route, ...] = (
    Route(pattern_of("/"), go_to_models),
    Route(pattern_of("/style.css"), show_style),
    Route(pattern_of("/icon.svg"), show_icon),
    Route(pattern_of("/api/openapi.json"), tell_api),
    Route(pattern_of("/models/{model}/versions/{number}/report"), show_report),
    Route(pattern_of("/models/{model}/promote"), promote, ("POST",)),
    *(Route(pattern_of(screen.path), partial(show, screen)) for screen in SCREENS),
    *(Route(pattern_of(f"/api{screen.path}"), partial(tell, screen)) for screen in SCREENS),
)
