"""Manifests as earlier releases wrote them, brought into the form of today."""

import json

from pydantic import JsonValue, TypeAdapter, ValidationError

_OBJECT = TypeAdapter(dict[str, JsonValue])

#: What a build said of its dense part when that was never cut.
_OF_THE_PART = ("runtime", "precision", "contract")


def bring_up(manifest: bytes) -> bytes:
    """Return a version's manifest in the form of today; what is no older one comes back as it is.

    Until builds had parts, they held one artifact, `dense`, and what it demands.
    """
    if b'"dense"' not in manifest:
        return manifest
    try:
        record = _OBJECT.validate_json(manifest)
    except ValidationError:
        return manifest
    builds = record.get("builds")
    if not isinstance(builds, list) or not any(map(_is_older, builds)):
        return manifest
    return json.dumps(record | {"builds": [_with_parts(build) for build in builds]}).encode()


def _is_older(build: JsonValue) -> bool:
    return isinstance(build, dict) and "dense" in build and "parts" not in build


def _with_parts(build: JsonValue) -> JsonValue:
    if not isinstance(build, dict) or not _is_older(build):
        return build
    part = {name: build[name] for name in _OF_THE_PART if name in build}
    part |= {"target": build.get("target"), "artifact": build["dense"]}
    rest = {name: value for name, value in build.items() if name not in (*_OF_THE_PART, "dense")}
    return {**rest, "parts": [part]}
