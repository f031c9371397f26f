"""How fast versions go into a store and come out, against tools that do no more than copy.

    python -m benchmarks.registry_transfer [MiB] [ROUNDS]

Each row is measured in turn, round after round, in one run; the best of each counts.
The peers: `cp` and `sha256sum` for a folder, boto3's own transfer and `sha256sum` for a bucket
of a real server on this host.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import boto3

from registry import Catalog
from registry.store import open_store
from tests.drafts import write_draft
from tests.seaweed import BUCKET, Seaweed, seaweed

ANSWER = "builds/cpu/model.bin"


def seconds(work: Callable[[], object]) -> float:
    os.sync()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def copy_and_digest(source: Path, target: Path) -> None:
    subprocess.run(["cp", source, target], check=True)
    subprocess.run(["sha256sum", target], check=True, stdout=subprocess.DEVNULL)


def folder_round(work: Path, file: Path) -> dict[str, float]:
    catalog = Catalog(open_store(str(work / uuid4().hex)))
    draft = write_draft(work / "draft", answer=file.read_bytes())
    pulled = work / uuid4().hex
    return {
        "folder: cp + sha256sum": seconds(lambda: copy_and_digest(file, work / uuid4().hex)),
        "folder: publish": seconds(lambda: catalog.publish(draft, work / "draft")),
        "folder: pull": seconds(lambda: catalog.pull(catalog.resolve("ads"), pulled)),
    }


def bucket_round(work: Path, file: Path, server: Seaweed) -> dict[str, float]:
    client = boto3.client("s3", endpoint_url=server.http, region_name="us-east-1")
    catalog = Catalog(open_store(f"s3://{BUCKET}/{uuid4().hex}", endpoint=server.http))
    catalog.store.create("probed", b"")
    draft = write_draft(work / "draft", answer=file.read_bytes())
    key, fetched, pulled = uuid4().hex, work / uuid4().hex, work / uuid4().hex

    def put() -> None:
        subprocess.run(["sha256sum", file], check=True, stdout=subprocess.DEVNULL)
        client.upload_file(str(file), BUCKET, key)

    def fetch() -> None:
        client.download_file(BUCKET, key, str(fetched))
        subprocess.run(["sha256sum", fetched], check=True, stdout=subprocess.DEVNULL)

    return {
        "bucket: sha256sum + boto3 upload": seconds(put),
        "bucket: publish": seconds(lambda: catalog.publish(draft, work / "draft")),
        "bucket: boto3 download + sha256sum": seconds(fetch),
        "bucket: pull": seconds(lambda: catalog.pull(catalog.resolve("ads"), pulled)),
    }


def main(mebibytes: int = 256, rounds: int = 3) -> None:
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as base:
        (Path(base) / "server").mkdir()
        with seaweed(Path(base) / "server") as server:
            os.environ.update(server.environment)
            for _ in range(rounds):
                with tempfile.TemporaryDirectory(dir=base) as work:
                    file = Path(work) / "file"
                    file.write_bytes(os.urandom(mebibytes << 20))
                    found = folder_round(Path(work), file) | bucket_round(Path(work), file, server)
                    for name, took in found.items():
                        best[name] = min(took, best.get(name, took))
    print(f"{mebibytes} MiB, best of {rounds}")
    for name, took in best.items():
        print(f"{name:<36} {took:6.2f} s {mebibytes / took:8.0f} MiB/s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
