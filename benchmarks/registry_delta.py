"""What a push and a pull move, and how long they take, when some rows of a table have changed.

    python -m benchmarks.registry_delta [--mib 256] [--rounds 3] [--folder DIR]

A table of rows of 256 bytes is cut into shards as a job cuts it, and published; then 0.1, 1 or 10 %
of its rows change, in one range or scattered, and it is published again, to a bucket of a real
server on this host (SeaweedFS): in the form of today, from a host that has the older shards and
from one that compares with marks of their rows, and in whole shards as before there were rows.

`CPU s` is what the pushing process used of all cores. `shipped` is what the store has more than
before, `read` what the push got out of it, `fetched` what a host that has the version before gets
out of it to have this one; the best push of the rounds counts, and its pull. A push always digests
all: that is what `nothing changed` takes.
"""

import argparse
import os
import random
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np
from safetensors.numpy import save

from converters.shard_size import shard_size
from registry import Catalog
from registry.composition import Shard
from registry.layout import BLOBS
from registry.manifest import Draft, Version
from registry.patching import recipes
from registry.store import open_store
from tests.drafts import write_draft
from tests.meter import Meter
from tests.seaweed import BUCKET, seaweed

ROW = 256
SHARES = (0.001, 0.01, 0.1)
WAYS = ("in a range", "scattered")


@dataclass(frozen=True)
class Form:
    """How a push ships a table.

    Attributes:
        patience: Shards that are looked at before the rest is shipped whole.
        near: Whether the host has the older shards.
    """

    patience: int
    near: bool


FORMS = {
    "rows, with the older shards on the host": Form(recipes.PATIENCE, near=True),
    "rows": Form(recipes.PATIENCE, near=False),
    "shards": Form(0, near=False),
}


@dataclass(frozen=True)
class Moved:
    """What one version cost: seconds and bytes."""

    push: float
    used: float
    read: int
    shipped: int
    pull: float
    fetched: int


class Shards:
    """A version whose table lies in files that are changed in place."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size = folder, size
        self.rows = shard_size(size, size, 64 << 20) // ROW
        self._draft = write_draft(folder)
        self._paths = [
            folder / f"tables/items/{number:06d}.safetensors"
            for number in range(size // (self.rows * ROW))
        ]
        for path in self._paths:
            data = np.frombuffer(os.urandom(self.rows * ROW), np.uint8).reshape(self.rows, ROW)
            path.write_bytes(save({"rows": data}))
        self._start = path.stat().st_size - self.rows * ROW

    def draft(self) -> Draft:
        """Say what there is now; another answer makes sure that it is another version."""
        (self.folder / "builds/cpu/model.bin").write_bytes(os.urandom(16))
        shards = tuple(
            Shard(
                file=path.relative_to(self.folder).as_posix(),
                start=number * self.rows,
                rows=self.rows,
            )
            for number, path in enumerate(self._paths)
        )
        update = {"rows": self.size // ROW, "dim": ROW // 4, "shards": shards}
        table = self._draft.tables[0].model_copy(update=update)
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
            number, at = divmod(row, self.rows)
            by_shard.setdefault(number, []).append(at)
        for number, places in by_shard.items():
            with self._paths[number].open("r+b") as file:
                for at in places:
                    file.seek(self._start + at * ROW)
                    file.write(os.urandom(ROW))


class Host:
    """Pushes, and pulls beside what was pulled before."""

    def __init__(self, url: str, endpoint: str, shards: Shards, form: Form) -> None:
        self._form, self._place = form, shards.folder.with_name(f"{shards.folder.name}-pulled")
        self._meter = Meter(open_store(url, endpoint=endpoint))
        self._catalog, self._shards = Catalog(self._meter), shards
        self._near: dict[Path, Version] = {}

    def move(self) -> Moved:
        """Publish what the shards hold, and pull it."""
        before, draft = self._held(), self._shards.draft()
        os.sync()
        self._meter.down, start, used = 0, time.perf_counter(), time.process_time()
        version = self._catalog.publish(draft, self._shards.folder, near=self._files())
        push, used = time.perf_counter() - start, time.process_time() - used
        read, shipped = self._meter.down, self._held() - before
        self._meter.down, folder = 0, self._place / uuid4().hex
        start = time.perf_counter()
        self._catalog.pull(version, folder, near=self._near)
        pull = time.perf_counter() - start
        for older in self._near:
            shutil.rmtree(older)
        self._near = {folder: version}
        return Moved(push, used, read, shipped, pull, self._meter.down)

    def _files(self) -> dict[str, Path]:
        """Name what the host has, if it is to be used."""
        return {
            file.digest: folder / name
            for folder, version in self._near.items()
            for name, file in version.files.items()
            if self._form.near
        }

    def _held(self) -> int:
        return sum(entry.size for entry in self._meter.entries(BLOBS))


def measure(host: Host, shards: Shards, rounds: int) -> dict[str, Moved]:
    """Move in turn, round after round; the best of each counts."""
    best = {"all of it": host.move()}
    for _ in range(rounds):
        found = {"nothing changed": host.move()}
        for way in WAYS:
            for share in SHARES:
                shards.change(share, way)
                found[f"{share:.1%} of the rows, {way}"] = host.move()
        for name, one in found.items():
            best[name] = min(one, best.get(name, one), key=lambda moved: moved.push)
    return best


def table(best: dict[str, Moved], size: int) -> str:
    """Write a table of what was measured."""
    lines = ["| pushed | push s | CPU s | read | shipped | pull s | fetched |"]
    lines.append("|---|---|---|---|---|---|---|")
    lines += [
        f"| {what} | {one.push:.2f} | {one.used:.2f} | {one.read / size:.2%} "
        f"| {one.shipped / size:.2%} | {one.pull:.2f} | {one.fetched / size:.2%} |"
        for what, one in best.items()
    ]
    return "\n".join(lines)


def main() -> None:
    """Run the server, measure both forms, print a table of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    size = options.mib << 20
    with tempfile.TemporaryDirectory(dir=options.folder) as name, seaweed(Path(name)) as server:
        os.environ.update(server.environment)
        for what, form in FORMS.items():
            recipes.PATIENCE = form.patience
            shards = Shards(Path(name) / uuid4().hex, size)
            host = Host(f"s3://{BUCKET}/{uuid4().hex}", server.http, shards, form)
            print(f"\nA table of {options.mib} MiB, {shards.rows} rows a shard, kept as {what}\n")
            print(table(measure(host, shards, options.rounds), size))


if __name__ == "__main__":
    main()
