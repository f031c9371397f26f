"""Look at the graph of a part, reading no more bytes than a page may take."""

from registry.blob_file import blob_file
from registry.catalog import Catalog
from registry.composition import Artifact
from registry.graphs.graph import Graph, without_constants
from registry.graphs.parts import entry_of, graphs_of, parts_of
from registry.graphs.reading import read_graph
from registry.graphs.sketch import Stretch, sketch
from registry.manifest import Version
from registry.web.looks import GraphLook
from registry.web.reading import read_version
from registry.web.refusals import NotThereError

#: Bytes that one page reads of the store.
MOST = 256 << 20


def look_at_graph(
    catalog: Catalog, model: str, number: int, part: str, stretch: Stretch
) -> GraphLook:
    """Draw the graph of a part, or a stretch of it.

    Raises:
        NotThereError: There is no such part or stretch, or no graph that can be shown.
    """
    version = read_version(catalog, model, number)
    shown = graphs_of(version)
    if not part and shown:
        part = shown[0]
    if part not in shown:
        known = ", ".join(shown) or "none"
        raise NotThereError(
            f"{model}@{number} has no graph of {part[:100]!r} to show; it has {known}"
        )
    graph = _read(catalog, version, parts_of(version)[part])
    drawn = sketch(graph, stretch)
    if drawn is None:
        raise NotThereError(f"{model}@{number}, {part}: no node stands there")
    return GraphLook(
        model=model,
        number=number,
        part=part,
        parts=shown,
        shown=stretch,
        total=len(graph.nodes),
        unread=graph.more,
        sketch=drawn,
    )


def _read(catalog: Catalog, version: Version, part: Artifact) -> Graph:
    name = entry_of(part)
    file = version.files.get(name)
    if file is None or file.size > MOST:
        raise NotThereError(f"{name}: not there, or larger than a page reads. Pull the version")
    with blob_file(catalog.store, version, name) as data:
        graph = read_graph(data, part.format)
    if graph is None:
        raise NotThereError(f"{name}: not a file of {part.format}")
    return without_constants(graph)
