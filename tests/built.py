"""Builds of one part with something changed."""

from registry.manifest import Build


def with_part(build: Build, **fields: object) -> Build:
    """Change fields of a build's only part."""
    (part,) = build.parts
    return build.model_copy(update={"parts": (part.model_copy(update=fields),)})
