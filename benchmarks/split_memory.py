"""How long a split takes and what memory it needs, by the size of the tables.

    python benchmarks/split_memory.py [--gib 1] [--folder DIR]

A DLRM of 16 tables lies in a safetensors file; it is opened, exported and split as the
torch source does it, in a process of its own. `mapped` counts pages of the checkpoint
that were read and can be dropped again; `private` is what the process needs for itself.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import nn

from converters.sources.source import Brief
from converters.sources.torch_factory import TorchOptions, split
from converters.split.policy import SplitOptions
from registry.progress import silent
from registry.signature import Axis, DType, Ids, Input

TABLES, DIM = 16, 64


class Dlrm(nn.Module):
    """Sixteen tables, dot products between all fields."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, DIM, mode="sum") for _ in range(TABLES))
        self.bottom = nn.Sequential(nn.Linear(13, 512), nn.ReLU(), nn.Linear(512, DIM), nn.ReLU())
        pairs = (TABLES + 1) * TABLES // 2
        self.top = nn.Sequential(nn.Linear(DIM + pairs, 512), nn.ReLU(), nn.Linear(512, 1))
        self.register_buffer("pairs", torch.triu_indices(TABLES + 1, TABLES + 1, 1))

    def forward(self, numbers: torch.Tensor, *ids: torch.Tensor) -> torch.Tensor:
        bottom = self.bottom(numbers)
        vectors = [table(field) for table, field in zip(self.tables, ids, strict=True)]
        stacked = torch.stack([bottom, *vectors], dim=1)
        dots = torch.bmm(stacked, stacked.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([bottom, dots], dim=1))).squeeze(-1)


def write_checkpoint(file: Path, rows: int) -> None:
    """Write the weights a table at a time."""
    torch.manual_seed(0)
    small = {
        name: tensor.numpy()
        for name, tensor in Dlrm(2).state_dict().items()
        if not name.startswith("tables.")
    }
    size = rows * DIM * 4
    header, at = {}, 0
    entries = [(name, array.nbytes, array.shape, array.dtype) for name, array in small.items()]
    entries += [(f"tables.{n}.weight", size, (rows, DIM), np.dtype("f4")) for n in range(TABLES)]
    for name, length, shape, dtype in entries:
        kind = {"f": "F", "i": "I"}[dtype.kind] + str(dtype.itemsize * 8)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + length]}
        at += length
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    random = np.random.default_rng(0)
    with file.open("wb") as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        for array in small.values():
            stream.write(array.tobytes())
        block = random.standard_normal((min(rows, 65536), DIM), dtype=np.float32)
        for _ in range(TABLES):
            for start in range(0, rows, len(block)):
                stream.write(block[: rows - start].tobytes())


class Meter:
    """Watches this process's memory."""

    def __init__(self) -> None:
        self.steps: list[dict[str, object]] = []

    def measure(self, name: str, work: Callable[[], object]) -> object:
        peak = {"RssAnon": 0, "RssFile": 0, "VmRSS": 0}
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.005):
                for key, value in _status().items():
                    peak[key] = max(peak[key], value)

        watcher = threading.Thread(target=watch)
        watcher.start()
        start = time.perf_counter()
        try:
            return work()
        finally:
            seconds = time.perf_counter() - start
            done.set()
            watcher.join()
            self.steps.append({"step": name, "seconds": seconds, **peak})


def _status() -> dict[str, int]:
    lines = Path("/proc/self/status").read_text().splitlines()
    pairs = (line.split(":") for line in lines)
    return {
        key: int(value.split()[0]) // 1024
        for key, value in pairs
        if key in ("RssAnon", "RssFile", "VmRSS")
    }


def child(folder: Path, rows: int) -> None:
    """Split, and print what was measured as JSON."""
    meter = Meter()
    torch.set_num_threads(1)

    fields = (
        Input(name=f"ids{n}", dtype=DType.INT64, shape=("batch", "hot"), ids=Ids(cardinality=rows))
        for n in range(TABLES)
    )
    brief = Brief(
        options=TorchOptions(
            factory="split_memory:Dlrm",
            args={"rows": rows},
            path=str(Path(__file__).parent),
            weights="model.safetensors",
        ),
        folder=folder,
        inputs=(Input(name="numbers", dtype=DType.FLOAT32, shape=("batch", 13)), *fields),
        axes={"batch": Axis(max=4096), "hot": Axis(max=64)},
    )
    meter.measure("torch imported", lambda: time.sleep(0.1))
    out = folder / "out"
    found = meter.measure(
        "open + export + split", lambda: split(brief, SplitOptions(), out, silent)
    )
    written = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(json.dumps({"steps": meter.steps, "tables": len(found.tables), "written": written}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gib", type=float, default=1.0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.folder, options.child)
        return
    rows = int(options.gib * (1 << 30)) // (TABLES * DIM * 4)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        write_checkpoint(Path(folder) / "model.safetensors", rows)
        command = [sys.executable, __file__, "--child", str(rows), "--folder", folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    print(
        f"{found['tables']} tables, {options.gib} GiB; {found['written'] / 1024:.0f} KiB written\n"
    )
    print("| step | s | peak RSS MiB | private | mapped |\n|---|---|---|---|---|")
    for step in found["steps"]:
        print(
            f"| {step['step']} | {step['seconds']:.1f} | {step['VmRSS']} | {step['RssAnon']}"
            f" | {step['RssFile']} |"
        )


if __name__ == "__main__":
    main()
