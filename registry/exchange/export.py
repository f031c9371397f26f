"""Lay a version out for a tool that serves it."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from registry import pull
from registry.disk import disk_faults
from registry.errors import StoreError
from registry.exchange.layouts import LAYOUTS
from registry.exchange.layouts.layout import IMAGE, Layout, View
from registry.manifest import Build, Version
from registry.progress import Progress
from registry.store.store import Store


@dataclass(frozen=True)
class Wish:
    """What is to be laid out.

    Attributes:
        layout: Name of a row of LAYOUTS.
        target: The build to take; None is the first.
        store, endpoint: The version's store, as the tool will reach it.
    """

    layout: str
    target: str | None
    store: str
    endpoint: str | None = None
    image: str = IMAGE


def export(store: Store, version: Version, out: Path, wish: Wish, progress: Progress) -> Path:
    """Lay a build out in a folder, and return the file to start the tool with.

    Raises:
        StoreError: There is no such layout or build, or the tool cannot answer with it.
    """
    layout, build = _layout(wish.layout), _build(version, wish.target)
    with disk_faults(out):
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".partial-") as partial:
            files = Path(partial)
            if layout.wants:
                pull.pull(store, _of_build(version, build), files, progress)
            place = (wish.store, wish.endpoint, wish.image)
            return layout.write(View(version, build, files, out, *place))


def _of_build(version: Version, build: Build) -> Version:
    """Leave the files of other builds out."""
    folders = tuple(f"{part.artifact.folder}/" for part in build.parts)
    files = {name: file for name, file in version.files.items() if name.startswith(folders)}
    return version.model_copy(update={"files": files})


def _layout(name: str) -> Layout:
    for layout in LAYOUTS:
        if layout.name == name:
            return layout
    known = ", ".join(layout.name for layout in LAYOUTS)
    raise StoreError(f"there is no layout {name!r}. There is {known}")


def _build(version: Version, target: str | None) -> Build:
    for build in version.builds:
        if target in (None, build.target):
            return build
    known = ", ".join(build.target for build in version.builds)
    raise StoreError(f"{version.model} has no build for {target!r}. It has {known}")
