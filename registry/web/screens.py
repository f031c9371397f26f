"""What can be looked at: each a record, shown as a page and told as JSON."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from registry.graphs.sketch import Stretch
from registry.signature import Frozen
from registry.web.call import LARGEST, Call
from registry.web.differing import look_at_difference
from registry.web.graphing import look_at_graph
from registry.web.looks import (
    ChannelLook,
    DiffLook,
    Found,
    GraphLook,
    ModelList,
    ModelLook,
    ParityLook,
    SpeedLook,
    VersionLook,
)
from registry.web.naming import look_at_channel
from registry.web.over_versions import look_at_parity, look_at_speed
from registry.web.reading import (
    list_models,
    look_at_model,
    look_at_version,
)
from registry.web.refusals import RefusalError
from registry.web.searching import search

#: What fields of a query take: empty is as good as none.
TEXT: dict[str, JsonValue] = {"type": "string"}
NUMBER: dict[str, JsonValue] = {"type": "integer", "minimum": 1, "maximum": LARGEST}
PLACE: dict[str, JsonValue] = {
    "type": "string",
    "pattern": "^([a-z0-9][a-z0-9._-]{0,63}(@[1-9][0-9]{0,17})?)?$",
}

#: What a field of a path can hold.
_FIELDS = {
    "model": "[^/]{1,200}",
    "channel": "[^/]{1,200}",
    "number": "[1-9][0-9]{0,17}",
}


@dataclass(frozen=True)
class Screen:
    """A record that can be looked at.

    Attributes:
        path: With fields in braces, as OpenAPI writes them; the same behind /api.
        query: Fields of the query, each with the JSON Schema of what it takes.
        needed: Those that have to be there.
    """

    path: str
    name: str
    about: str
    look: type[Frozen]
    read: Callable[[Call], Frozen]
    query: tuple[tuple[str, dict[str, JsonValue]], ...] = ()
    needed: frozenset[str] = frozenset()


def pattern_of(path: str) -> re.Pattern[str]:
    """Turn a path with fields in braces into what it matches."""
    parts = re.split(r"\{([a-z]+)\}", path)
    return re.compile(
        "".join(
            f"(?P<{part}>{_FIELDS[part]})" if at % 2 else re.escape(part)
            for at, part in enumerate(parts)
        )
    )


def _models(call: Call) -> ModelList:
    return list_models(call.room.catalog, call.text("holds"), call.number("page") or 1)


def _model(call: Call) -> ModelLook:
    return look_at_model(call.room.catalog, call.names["model"], call.number("before"))


def _channel(call: Call) -> ChannelLook:
    return look_at_channel(call.room.catalog, call.names["model"], call.names["channel"])


def _version(call: Call) -> VersionLook:
    return look_at_version(call.room.catalog, call.names["model"], int(call.names["number"]))


def _parity(call: Call) -> ParityLook:
    return look_at_parity(call.room.catalog, call.names["model"])


def _speed(call: Call) -> SpeedLook:
    return look_at_speed(call.room.catalog, call.names["model"])


def _graph(call: Call) -> GraphLook:
    stretch = Stretch(
        within=call.text("within"), first=call.number("first"), last=call.number("last")
    )
    model, number = call.names["model"], int(call.names["number"])
    return look_at_graph(call.room.catalog, model, number, call.text("part"), stretch)


def _diff(call: Call) -> DiffLook:
    before, after = call.number("before"), call.number("after")
    if before is None or after is None:
        raise RefusalError("say which versions to compare: ?before=6&after=7")
    return look_at_difference(call.room.catalog, call.names["model"], before, after)


def _search(call: Call) -> Found:
    return search(call.room.catalog, call.text("where"), call.text("after"))


SCREENS: tuple[Screen, ...] = (
    Screen(
        path="/models",
        name="models",
        about="Models whose names hold a text, a page of them.",
        look=ModelList,
        read=_models,
        query=(("holds", TEXT), ("page", NUMBER)),
    ),
    Screen(
        path="/models/{model}",
        name="model",
        about="A model's channels, tags and versions, the newest first.",
        look=ModelLook,
        read=_model,
        query=(("before", NUMBER),),
    ),
    Screen(
        path="/models/{model}/channels/{channel}",
        name="channel",
        about="Where a channel pointed, the newest move first.",
        look=ChannelLook,
        read=_channel,
    ),
    Screen(
        path="/models/{model}/versions/{number}",
        name="version",
        about="A version, also one that was removed.",
        look=VersionLook,
        read=_version,
    ),
    Screen(
        path="/models/{model}/parity",
        name="parity",
        about="The largest errors of a model's versions.",
        look=ParityLook,
        read=_parity,
    ),
    Screen(
        path="/models/{model}/speed",
        name="speed",
        about="How fast a model's versions answered where they were validated.",
        look=SpeedLook,
        read=_speed,
    ),
    Screen(
        path="/models/{model}/versions/{number}/graph",
        name="graph",
        about="The graph of a part of a version, as boxes and what lies between; the first part, "
        "if none is named.",
        look=GraphLook,
        read=_graph,
        query=(
            ("part", TEXT),
            ("within", TEXT),
            ("first", NUMBER),
            ("last", NUMBER),
        ),
    ),
    Screen(
        path="/models/{model}/diff",
        name="diff",
        about="What two versions differ in.",
        look=DiffLook,
        read=_diff,
        query=(("before", NUMBER), ("after", NUMBER)),
        needed=frozenset({"before", "after"}),
    ),
    Screen(
        path="/search",
        name="search",
        about="Versions that meet conditions such as target=openvino* created>=2026-11.",
        look=Found,
        read=_search,
        query=(("where", TEXT), ("after", PLACE)),
    ),
)
