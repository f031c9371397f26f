"""What a tool that serves models wants to find in a folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from registry.errors import StoreError
from registry.manifest import Build, BuiltPart, Version

#: Where the container of our server comes from unless told: nobody publishes one for all.
IMAGE = "model-pipeline:latest"


@dataclass(frozen=True)
class View:
    """A build of a version that is to be laid out for a tool.

    Attributes:
        files: The version's folder, with the files of the build.
        out: Where the layout goes.
        store, endpoint: Where the version comes from.
        image: Of a container with our server.
    """

    version: Version
    build: Build
    files: Path
    out: Path
    store: str
    endpoint: str | None = None
    image: str = IMAGE

    def folder_of(self, part: BuiltPart) -> Path:
        """Return where the files of a part are."""
        return self.files / PurePosixPath(part.artifact.folder)

    @property
    def place(self) -> Path:
        """The folder of this version, where tools expect `<model>/<number>`."""
        return self.out / self.version.model / str(self.version.number)


@dataclass(frozen=True)
class Layout:
    """A layout: one file, one row in LAYOUTS.

    Attributes:
        wants: Whether it takes the files of the version, or only names where they are.
        write: Lays a view out, and returns the file to start the tool with.
    """

    name: str
    help: str
    wants: bool
    write: Callable[[View], Path]


def check_alone(view: View, tool: str) -> None:
    """Refuse a version that a tool cannot answer with: it runs graphs, and knows no tables.

    Raises:
        StoreError: There are lookups, or a program that makes ids.
    """
    if view.version.lookups or view.version.ids:
        raise StoreError(
            f"{view.version.model}@{view.version.number} looks up rows of tables, which {tool} "
            "does not do. Serve it with `pipeline serve`, or take --layout kserve, which runs that"
        )


def check_whole(view: View, tool: str) -> BuiltPart:
    """Refuse a build of several parts where a tool runs one graph; return the only part.

    Raises:
        StoreError: There are more.
    """
    if len(view.build.parts) > 1:
        names = ", ".join(part.name for part in view.build.parts)
        raise StoreError(
            f"{view.build.target}: is cut into parts ({names}), which {tool} does not chain. Serve "
            "it with `pipeline serve`, or take --layout kserve, which runs that"
        )
    return view.build.parts[0]
