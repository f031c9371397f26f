"""How quick the commands are on a store of many models and versions.

    python -m benchmarks.registry_scale [--models 1000] [--versions 100] [--rounds 3] [--folder DIR]
        [--bucket]

Publishes one small version, and writes its commit object under all the other numbers, some 100,000
objects: into a folder, or past the store into the bucket of a real server on this host (SeaweedFS),
which takes minutes. Each command runs in a process of its own, as a user
runs it, first without this host's cache and then with it; the best of the rounds counts. The first
one lists the whole store, and leaves the index that the others go by. `s` is time on the clock,
`CPU s` what the process used of all cores. `search` and `du` read every version: not here.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from registry import Catalog
from registry.layout import channel_prefix, numbered, versions_prefix
from registry.store import open_store
from tests.drafts import write_draft
from tests.seaweed import BUCKET, seaweed

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "ls": ("ls",),
    "ls MODEL": ("ls", "m0000"),
    "show MODEL": ("show", "m0000@production", "--json"),
}

#: A key and what lies there.
Object = tuple[str, bytes]


@dataclass(frozen=True)
class Ground:
    """Where a store is laid out.

    Attributes:
        write: Writes an object past the store, from any thread.
        arguments: Lead a command there.
    """

    write: Callable[[Object], None]
    arguments: tuple[str, ...]


@contextmanager
def folder_ground(folder: Path) -> Iterator[Ground]:
    """Take a folder."""

    def write(item: Object) -> None:
        path = folder / "store" / item[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(item[1])

    yield Ground(write, ("--store", str(folder / "store")))


@contextmanager
def bucket_ground(folder: Path) -> Iterator[Ground]:
    """Run a server, and take its bucket."""
    with seaweed(folder) as server:
        os.environ.update(server.environment)
        place = urlsplit(server.folder)

        own = threading.local()

        def write(item: Object) -> None:
            if not hasattr(own, "connection"):
                own.connection = HTTPConnection(place.netloc)
            own.connection.request("PUT", f"{place.path}/{item[0]}", body=item[1])
            with own.connection.getresponse() as answer:
                answer.read()
                if answer.status != HTTPStatus.CREATED:
                    raise RuntimeError(f"{item[0]}: {answer.status}")

        yield Ground(write, ("--store", f"s3://{BUCKET}", "--endpoint", server.http))


def objects(models: int, versions: int) -> Iterator[Object]:
    """Give the objects of a store as if all had been published one after the other."""
    with tempfile.TemporaryDirectory() as name:
        store = open_store(f"{name}/store")
        catalog = Catalog(store)
        catalog.publish(write_draft(Path(name) / "draft", model="seed"), Path(name) / "draft")
        catalog.move("seed", "production", 1, who="a benchmark", why="it is laid out")
        commit = json.loads(store.get(numbered(versions_prefix("seed"), 1)) or b"")
        move = json.loads(store.get(numbered(channel_prefix("seed", "production"), 1)) or b"")
    for model in (f"m{number:04d}" for number in range(models)):
        for number in range(1, versions + 1):
            commit |= {"model": model, "number": number, "fingerprint": f"{model}-{number}"}
            yield numbered(versions_prefix(model), number), json.dumps(commit).encode()
        head = json.dumps(move | {"version": versions}).encode()
        yield numbered(channel_prefix(model, "production"), 1), head


def run(ground: Ground, cache: Path, words: tuple[str, ...]) -> tuple[float, float]:
    """Run a command; return seconds on the clock, and of all cores."""
    command = [sys.executable, "-m", "pipeline.cli", "registry", *words, *ground.arguments]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT)}
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    took, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system
    return took, used - before.children_user - before.children_system


def measure(ground: Ground, cache: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """Run all commands in turn, round after round; the best of each counts."""
    best = {"ls --anew, no cache": run(ground, cache, ("ls", "--anew"))}
    for name, words in COMMANDS.items():
        shutil.rmtree(cache, ignore_errors=True)
        best[f"{name}, no cache"] = run(ground, cache, words)
    for _ in range(rounds):
        for name, words in COMMANDS.items():
            found = run(ground, cache, words)
            best[name] = min(found, best.get(name, found))
    return best


def arguments(description: str) -> argparse.Namespace:
    """Read how large a store is wanted, and where."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--versions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--bucket", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Lay out the store, measure, print the table."""
    options = arguments(__doc__.splitlines()[0])
    laid_out = bucket_ground if options.bucket else folder_ground
    with tempfile.TemporaryDirectory(dir=options.folder) as name, laid_out(Path(name)) as ground:
        for item in objects(options.models, options.versions):
            ground.write(item)
        best = measure(ground, Path(name) / "cache", options.rounds)
    where = "a bucket" if options.bucket else "a folder"
    print(f"{options.models} models, {options.models * options.versions} versions, in {where}\n")
    print("| registry | s | CPU s |\n|---|---|---|")
    for command, (took, used) in best.items():
        print(f"| {command} | {took:.2f} | {used:.2f} |")


if __name__ == "__main__":
    main()
