"""What a push ships, and how long it takes, when some rows of a table have changed.

    python -m benchmarks.registry_delta [--mib 256] [--rounds 3] [--folder DIR]

A table of rows of 256 bytes is cut into shards as a job cuts it, and published; then 0.1, 1 or 10 %
of its rows change, in one range or scattered, and it is published again, to a bucket of a real
server on this host (SeaweedFS). `shipped` is what the store has more than before; the best time of
the rounds counts. A push always digests all: that is what `nothing changed` takes. Rows that are
scattered touch all shards: nothing but a format that ships rows, not shards, could ship less.
"""

import argparse
import os
import random
import tempfile
import time
from pathlib import Path
from uuid import uuid4

from converters.shard_size import shard_size
from registry import Catalog
from registry.composition import Shard
from registry.layout import BLOBS
from registry.manifest import Draft
from registry.store import open_store
from tests.drafts import write_draft
from tests.seaweed import BUCKET, seaweed

ROW = 256
SHARES = (0.001, 0.01, 0.1)
WAYS = ("in a range", "scattered")


class Shards:
    """A version whose table lies in files that are changed in place."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size = folder, size
        self.shard = shard_size(size, size, 64 << 20)
        self._draft = write_draft(folder)
        self._paths = [
            folder / f"tables/items/{number:06d}.safetensors"
            for number in range(size // self.shard)
        ]
        for path in self._paths:
            path.write_bytes(os.urandom(self.shard))

    def draft(self) -> Draft:
        """Say what there is now; another answer makes sure that it is another version."""
        (self.folder / "builds/cpu/model.bin").write_bytes(os.urandom(16))
        rows = self.shard // ROW
        shards = tuple(
            Shard(file=path.relative_to(self.folder).as_posix(), start=number * rows, rows=rows)
            for number, path in enumerate(self._paths)
        )
        table = self._draft.tables[0].model_copy(
            update={"rows": self.size // ROW, "shards": shards}
        )
        return self._draft.model_copy(update={"tables": (table,)})

    def change(self, share: float, way: str) -> None:
        """Write other bytes over a share of the rows."""
        rows, chance = self.size // ROW, random.Random(7)
        count = round(rows * share)
        start = chance.randrange(rows - count)
        chosen = (
            range(start, start + count) if way == WAYS[0] else chance.sample(range(rows), count)
        )
        by_shard: dict[int, list[int]] = {}
        for row in chosen:
            number, at = divmod(row * ROW, self.shard)
            by_shard.setdefault(number, []).append(at)
        for number, places in by_shard.items():
            with self._paths[number].open("r+b") as file:
                for at in places:
                    file.seek(at)
                    file.write(os.urandom(ROW))


def push(catalog: Catalog, shards: Shards) -> tuple[float, int]:
    """Publish; return the seconds, and the bytes that the store has come to hold."""
    before = sum(entry.size for entry in catalog.store.entries(BLOBS))
    draft = shards.draft()
    os.sync()
    start = time.perf_counter()
    catalog.publish(draft, shards.folder)
    took = time.perf_counter() - start
    return took, sum(entry.size for entry in catalog.store.entries(BLOBS)) - before


def measure(catalog: Catalog, shards: Shards, rounds: int) -> dict[str, tuple[float, int]]:
    """Push in turn, round after round; the best of each counts."""
    best = {"all of it": push(catalog, shards)}
    for _ in range(rounds):
        found = {"nothing changed": push(catalog, shards)}
        for way in WAYS:
            for share in SHARES:
                shards.change(share, way)
                found[f"{share:.1%} of the rows, {way}"] = push(catalog, shards)
        for name, one in found.items():
            best[name] = min(one, best.get(name, one))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    size = options.mib << 20
    with tempfile.TemporaryDirectory(dir=options.folder) as name, seaweed(Path(name)) as server:
        os.environ.update(server.environment)
        shards = Shards(Path(name) / "draft", size)
        url = f"s3://{BUCKET}/{uuid4().hex}"
        best = measure(Catalog(open_store(url, endpoint=server.http)), shards, options.rounds)
    print(f"A table of {options.mib} MiB in shards of {shards.shard >> 10} KiB\n")
    print("| pushed | s | shipped MiB | of the table |\n|---|---|---|---|")
    for what, (took, shipped) in best.items():
        print(f"| {what} | {took:.2f} | {shipped / (1 << 20):.2f} | {shipped / size:.2%} |")


if __name__ == "__main__":
    main()
