"""How quick the commands are on a store of many models and versions.

    python -m benchmarks.registry_scale [--models 1000] [--versions 100] [--rounds 3] [--folder DIR]

Publishes one small version, and writes its commit object under all the other numbers, in a folder:
some 100,000 files, half a minute. Each command runs in a process of its own, as a user runs it,
first without this host's cache and then with it; the best of the rounds counts. `s` is time on the
clock, `CPU s` what the process used of all cores. `search` and `du` read every version: not here.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from registry import Catalog
from registry.layout import MODELS, channel_prefix, numbered, versions_prefix
from registry.store import open_store
from tests.drafts import write_draft

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "ls": ("ls",),
    "ls MODEL": ("ls", "m0000"),
    "show MODEL": ("show", "m0000@production", "--json"),
}


def fill(store: Path, models: int, versions: int) -> None:
    """Lay out a store as if all had been published one after the other."""
    catalog = Catalog(open_store(str(store)))
    with tempfile.TemporaryDirectory() as draft:
        catalog.publish(write_draft(Path(draft), model="seed"), Path(draft))
    catalog.move("seed", "production", 1, who="a benchmark", why="it is laid out")
    commit = json.loads((store / numbered(versions_prefix("seed"), 1)).read_bytes())
    move = json.loads((store / numbered(channel_prefix("seed", "production"), 1)).read_bytes())
    for model in (f"m{number:04d}" for number in range(models)):
        folder = store / versions_prefix(model)
        folder.mkdir(parents=True)
        for number in range(1, versions + 1):
            commit |= {"model": model, "number": number, "fingerprint": f"{model}-{number}"}
            (folder / numbered("", number)).write_text(json.dumps(commit))
        head = store / numbered(channel_prefix(model, "production"), 1)
        head.parent.mkdir(parents=True)
        head.write_text(json.dumps(move | {"version": versions}))
    shutil.rmtree(store / MODELS / "seed")


def run(store: Path, cache: Path, words: tuple[str, ...]) -> tuple[float, float]:
    """Run a command; return seconds on the clock, and of all cores."""
    command = [sys.executable, "-m", "pipeline.cli", "registry", *words, "--store", str(store)]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT)}
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    took, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system
    return took, used - before.children_user - before.children_system


def measure(store: Path, cache: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """Run all commands in turn, round after round; the best of each counts."""
    best: dict[str, tuple[float, float]] = {}
    for name, words in COMMANDS.items():
        shutil.rmtree(cache, ignore_errors=True)
        best[f"{name}, no cache"] = run(store, cache, words)
    for _ in range(rounds):
        for name, words in COMMANDS.items():
            found = run(store, cache, words)
            best[name] = min(found, best.get(name, found))
    return best


def main() -> None:
    """Lay out the store, measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--versions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        store = Path(name) / "store"
        fill(store, options.models, options.versions)
        best = measure(store, Path(name) / "cache", options.rounds)
    print(f"{options.models} models, {options.models * options.versions} versions, in a folder\n")
    print("| registry | s | CPU s |\n|---|---|---|")
    for command, (took, used) in best.items():
        print(f"| {command} | {took:.2f} | {used:.2f} |")


if __name__ == "__main__":
    main()
