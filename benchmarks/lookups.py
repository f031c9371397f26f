"""How fast rows are looked up, beside numpy's own way and torch's.

    python benchmarks/lookups.py [--rows 1000000] [--dim 64] [--rounds 3] [--folder DIR]

Every way runs in a process of its own with one thread, all in turn, several rounds; the
best of each counts. `ours` reads a mapped table with the checks that a request gets; the
others read memory that they own, unchecked. Ratios are to torch in the same run.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from converters.checkpoints.safetensors_file import PAGE, header
from registry.composition import Lookup, Shard, Table
from registry.signature import DType

#: Ids of each workload: a flat gather, bags of one length, bags of many lengths.
GATHER = 32768
BAGS, LENGTH = 4096, 8

WAYS = ("torch", "ours", "ours, 16 shards", "ours, ids repeated", "numpy")


def write_table(folder: Path, rows: int, dim: int, shards: int) -> Table:
    """Write random rows, all shards alike, each of whole pages as the platform writes them."""
    page = PAGE // math.gcd(dim * 4, PAGE)
    each = rows // shards // page * page
    values = np.random.default_rng(0).standard_normal((each, dim), dtype=np.float32)
    made = []
    for number in range(shards):
        file = f"{shards}-{number}.safetensors"
        with (folder / file).open("wb") as stream:
            stream.write(header("rows", DType.FLOAT32, values.shape, values.nbytes))
            stream.write(values.data)
        made.append(Shard(file=file, start=number * each, rows=each))
    return Table(
        name="t",
        rows=each * shards,
        dim=dim,
        dtype=DType.FLOAT32,
        keys=("t",),
        shards=tuple(made),
    )


def workload(rows: int, *, repeated: bool) -> dict[str, np.ndarray]:
    """Draw ids; repeated ones follow a power law, as clicks do."""
    rng = np.random.default_rng(1)

    def draw(shape: tuple[int, ...]) -> np.ndarray:
        if repeated:
            return np.minimum(rng.zipf(1.2, shape), rows) - 1
        return rng.integers(0, rows, shape)

    lengths = rng.poisson(LENGTH, BAGS)
    return {
        "flat": draw((GATHER,)),
        "bags": draw((BAGS, LENGTH)),
        "ragged": draw((int(lengths.sum()),)),
        "offsets": np.concatenate([[0], np.cumsum(lengths)[:-1]]),
    }


def ours(folder: Path, table: Table, ids: dict[str, np.ndarray]) -> dict[str, Callable[[], object]]:
    """Look up as a version does."""
    from targets.embedding.lookups import look_up
    from targets.embedding.tables import open_table

    opened = open_table(table, folder)

    def read(name: str, **fields: object) -> Callable[[], object]:
        given = {"output": "o", "table": "t", "dtype": DType.FLOAT32, "ids": name} | fields
        lookup = Lookup.model_validate(given)
        return lambda: look_up(lookup, opened, ids)

    return {
        "gather": read("flat", kind="embedding"),
        "bags": read("bags", kind="bag", mode="sum"),
        "ragged bags": read("ragged", kind="bag", mode="mean", offsets="offsets"),
    }


def numpy(rows: np.ndarray, ids: dict[str, np.ndarray]) -> dict[str, Callable[[], object]]:
    """Look up the obvious way; its sums of ragged bags are not torch's to the bit."""

    def ragged() -> np.ndarray:
        lengths = np.diff(np.append(ids["offsets"], ids["ragged"].size))
        starts = np.minimum(ids["offsets"], ids["ragged"].size - 1)
        sums = np.add.reduceat(rows[ids["ragged"]], starts, axis=0)
        sums[lengths == 0] = 0
        return sums / np.maximum(lengths, 1)[:, None]

    return {
        "gather": lambda: rows[ids["flat"]],
        "bags": lambda: rows[ids["bags"]].sum(1),
        "ragged bags": ragged,
    }


def torch(rows: np.ndarray, ids: dict[str, np.ndarray]) -> dict[str, Callable[[], object]]:
    """Look up with torch's own kernels."""
    import torch

    torch.set_num_threads(1)
    table = torch.from_numpy(rows)
    given = {name: torch.from_numpy(array) for name, array in ids.items()}
    bag = torch.nn.functional.embedding_bag
    return {
        "gather": lambda: torch.index_select(table, 0, given["flat"]),
        "bags": lambda: bag(given["bags"], table, mode="sum"),
        "ragged bags": lambda: bag(given["ragged"], table, given["offsets"], mode="mean"),
    }


def child(way: str, folder: Path, rows: int, dim: int) -> dict[str, float]:
    """Measure one way; returns million rows a second of each workload."""
    shards = 16 if "16" in way else 1
    table = Table.model_validate_json((folder / f"{shards}.json").read_bytes())
    ids = workload(table.rows, repeated="repeated" in way)
    if way.startswith("ours"):
        works = ours(folder, table, ids)
    else:
        memory = np.random.default_rng(0).standard_normal((rows, dim), dtype=np.float32)
        works = {"numpy": numpy, "torch": torch}[way](memory, ids)
    counts = {"gather": GATHER, "bags": BAGS * LENGTH, "ragged bags": ids["ragged"].size}
    return {name: counts[name] / best_time(work) / 1e6 for name, work in works.items()}


def best_time(work: Callable[[], object]) -> float:
    """Time a call, the best of as many as a second holds."""
    work()
    best, until = float("inf"), time.perf_counter() + 1
    while time.perf_counter() < until:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    """Write the tables, run every way in turn, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.child, options.folder, options.rows, options.dim)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for shards in (1, 16):
            table = write_table(Path(folder), options.rows, options.dim, shards)
            (Path(folder) / f"{shards}.json").write_text(table.model_dump_json())
        report(measure(Path(folder), options.rows, options.dim, options.rounds))


def measure(folder: Path, rows: int, dim: int, rounds: int) -> dict[str, dict[str, float]]:
    """Run every way in a process of its own, in turn; keep the best of each."""
    best: dict[str, dict[str, float]] = {way: {} for way in WAYS}
    sizes = ["--rows", str(rows), "--dim", str(dim), "--folder", str(folder)]
    for _ in range(rounds):
        for way in WAYS:
            command = [sys.executable, __file__, "--child", way, *sizes]
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            done = subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            )
            for name, rate in json.loads(done.stdout).items():
                best[way][name] = max(rate, best[way].get(name, 0))
    return best


def report(best: dict[str, dict[str, float]]) -> None:
    """Print million rows a second, and the ratio to torch."""
    names = list(best["torch"])
    print(f"| Mrows/s (x torch) | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for way, rates in best.items():
        cells = [f"{rates[name]:.1f} ({rates[name] / best['torch'][name]:.2f})" for name in names]
        print(f"| {way} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
