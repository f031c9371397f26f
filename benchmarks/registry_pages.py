"""How quick the pages are on a store of many models and versions.

    python -m benchmarks.registry_pages [--models 1000] [--versions 100] [--rounds 3] [--folder DIR]
        [--bucket]

Lays out the store of `benchmarks.registry_scale`, lists it once, which leaves an index, starts
`pipeline registry serve` on it, and asks for each page in turn, round after round: `first` is the
first time, with nothing in this host's cache, `s` the best of the rounds. Graphs, reports and
differences are of one or two versions, however many there are: not here.
"""

import os
import tempfile
import time
from collections import deque
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.registry_scale import arguments, bucket_ground, folder_ground, objects
from registry import Catalog
from registry.side_by_side import ahead
from registry.store import open_store
from tests.registry_site import site_of

PAGES = {
    "models": "/models",
    "models, the last page": "/models?page={pages}",
    "models by name": "/models?holds=m0",
    "a model": "/models/m0000",
    "a model, older versions": "/models/m0000?before=20",
    "a version": "/models/m0000/versions/1",
    "a channel": "/models/m0000/channels/production",
    "parity over versions": "/models/m0000/parity",
    "speed over versions": "/models/m0000/speed",
    "a search by name": "/search?where=m0999",
    "a search that finds nothing": "/search?where=bytes%3C1",
}


def ask(site: str, path: str) -> float:
    """Get a page; return how long that took, in seconds."""
    start = time.perf_counter()
    connection = HTTPConnection(urlsplit(site).netloc)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}")
    return time.perf_counter() - start


def measure(site: str, models: int, rounds: int) -> dict[str, list[float]]:
    """Ask for all pages in turn."""
    pages = {name: path.format(pages=-(-models // 50)) for name, path in PAGES.items()}
    found: dict[str, list[float]] = {name: [] for name in pages}
    for _ in range(rounds + 1):
        for name, path in pages.items():
            found[name].append(ask(site, path))
    return found


def main() -> None:
    """Lay out the store, measure, print the table."""
    options = arguments(__doc__.splitlines()[0])
    laid_out = bucket_ground if options.bucket else folder_ground
    with tempfile.TemporaryDirectory(dir=options.folder) as name, laid_out(Path(name)) as ground:
        made = ahead(ground.write, objects(options.models, options.versions), width=32)
        deque(made, maxlen=0)
        os.environ["XDG_CACHE_HOME"] = f"{name}/cache"
        _, store, *endpoint = ground.arguments
        Catalog(open_store(store, endpoint=endpoint[-1] if endpoint else None)).overview()
        with site_of(store, *endpoint) as site:
            found = measure(site, options.models, options.rounds)
    where = "a bucket" if options.bucket else "a folder"
    print(f"{options.models} models, {options.models * options.versions} versions, in {where}\n")
    print("| page | first | s |\n|---|---|---|")
    for page, (first, *others) in found.items():
        print(f"| {page} | {first:.2f} | {min(others):.2f} |")


if __name__ == "__main__":
    main()
