"""How fast tables become shards, beside copying and hashing the same bytes on this disk.

    python benchmarks/tables.py [--gib 4] [--folder DIR]

A DLRM of 16 tables lies in a safetensors file. A whole job runs on it, each stage in its own
process, without a push; then a plain loop reads the same bytes, hashes them and writes them, in
one thread. Both start with the file in the page cache as far as it fits. Needs three times
the size on the disk of DIR. `peak` is memory that a stage needs for itself; the kernel drops pages
of mapped files where memory is short.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from split_memory import DIM, TABLES, write_checkpoint

ROOT = Path(__file__).parents[1]
CHUNK = 8 << 20

#: What a job may take: so much, and so many times its dense part.
ALLOWED, TIMES = 1 << 30, 2.5
FAST_ENOUGH = 0.7


def job(rows: int) -> dict[str, object]:
    """Describe the model; its inputs are ids, so that nothing else decides the time."""
    ids = [
        {
            "name": f"ids{n}",
            "dtype": "int64",
            "shape": ["batch", "hot"],
            "ids": {"cardinality": rows},
        }
        for n in range(TABLES)
    ]
    numbers = {"name": "numbers", "dtype": "float32", "shape": ["batch", 13], "range": [-1, 1]}
    return {
        "schema": 1,
        "model": "tables",
        "source": {
            "kind": "torch",
            "factory": "split_memory:Dlrm",
            "path": str(Path(__file__).parent),
            "args": {"rows": rows},
            "weights": "model.safetensors",
        },
        "axes": {"batch": {"min": 1, "max": 4096}, "hot": {"min": 1, "max": 64}},
        "inputs": [numbers, *ids],
        "targets": [{"name": "ort", "runtime": "onnxruntime"}],
        "parity": {"conversion": {"atol": 1e-4, "rtol": 1e-4, "because": "dots of 64 products"}},
    }


def run(folder: Path) -> dict[str, dict[str, float]]:
    """Run the job; return what each stage took: seconds, and its peak of memory in bytes."""
    command = [sys.executable, "-m", "pipeline.cli", "run", "job.yaml", "--json"]
    home = folder / "home"
    environment = os.environ | {"PIPELINE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    (record,) = home.glob("runs/*/*/run.json")
    return {stage["name"]: stage["usage"] for stage in json.loads(record.read_bytes())["stages"]}


def dense_bytes(folder: Path) -> int:
    """Return the size of the dense part as the target gets it."""
    parts = folder.glob("home/cache/convert/*/output")
    return max(sum(file.stat().st_size for file in part.rglob("*")) for part in parts)


def copy_and_hash(source: Path, copy: Path) -> float:
    """Read, hash and write in one thread; return the seconds."""
    start, digest, buffer = time.perf_counter(), hashlib.sha256(), memoryview(bytearray(CHUNK))
    with source.open("rb", buffering=0) as given, copy.open("wb", buffering=0) as taken:
        os.posix_fallocate(taken.fileno(), 0, source.stat().st_size)
        while count := given.readinto(buffer):
            digest.update(buffer[:count])
            taken.write(buffer[:count])
    return time.perf_counter() - start


def main() -> None:
    """Run the job and the loop, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gib", type=float, default=4.0)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    rows = int(options.gib * (1 << 30)) // (TABLES * DIM * 4)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        checkpoint = folder / "model.safetensors"
        write_checkpoint(checkpoint, rows)
        os.sync()
        (folder / "job.yaml").write_text(yaml.safe_dump(job(rows), sort_keys=False))
        usage = run(folder)
        os.sync()
        plain = copy_and_hash(checkpoint, folder / "copy")
        report(options.gib, usage, plain, dense_bytes(folder))


def report(gib: float, usage: dict[str, dict[str, float]], plain: float, dense: int) -> None:
    """Print what each stage took, and the two figures that count."""
    print(f"{gib:g} GiB in {TABLES} tables, a dense part of {dense / 2**20:.1f} MiB\n")
    print("| stage | s | peak MiB | with pages of mapped files |\n|---|---|---|---|")
    for name, used in usage.items():
        peak, resident = used["peak"] / 2**20, used["resident"] / 2**20
        print(f"| {name} | {used['seconds']:.1f} | {peak:.0f} | {resident:.0f} |")
    seconds = usage["tables"]["seconds"]
    peak, most = max(used["peak"] for used in usage.values()), ALLOWED + TIMES * dense
    print("\n| | measured | wanted |\n|---|---|---|")
    print(
        f"| tables to shards | {gib / seconds:.2f} GiB/s | copy and hash: {gib / plain:.2f} GiB/s |"
    )
    print(f"| ratio | {plain / seconds:.2f} | {FAST_ENOUGH} or more |")
    print(f"| peak of a stage | {peak / 2**20:.0f} MiB | {most / 2**20:.0f} MiB at most |")


if __name__ == "__main__":
    main()
