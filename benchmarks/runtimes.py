"""How fast each runtime answers, beside torch itself, on four kinds of models.

    python -m benchmarks.runtimes [--model MLP] [--engines ENGINE ...] [--rounds 5]

An engine is a runtime, in f32, or a runtime and what else it computes in on this CPU: `ipex i8`
has scales that were found before, on samples. Every engine runs in a process of its own (its
toolchain's, where it has one) and waits while the others are measured; all are asked in turn, in
another order each round. What is told is the time of one answer as a ratio to that of the first
engine, eager torch if none are named, in the same round: the median, and the least and the
greatest. Below 1 is faster. Prints a table in Markdown.
"""

import argparse
import json
import math
import os
import platform
import random
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from converters.converter import ConvertOptions
from pipeline.processes.setting import ROOT
from pipeline.toolchains import CURRENT, find_toolchain
from pipeline.toolchains.place import interpreter, is_built
from targets import TARGETS, find_target
from targets.host.cpu import host
from targets.target import Target

EAGER, COMPILED = "torch eager", "torch.compile"
BATCHES = (1, 8, 32)
NARROW = ("bf16", "i8")

Answer = Callable[[Mapping[str, np.ndarray]], object]


@dataclass
class Worker:
    """An engine in a process of its own, which answers a line with a line."""

    name: str
    process: subprocess.Popen[str]
    fault: str = ""

    def ask(self, question: dict[str, object]) -> float:
        """Return the figure that answers; NaN where the engine is at fault."""
        if self.fault:
            return float("nan")
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return self.hear()

    def hear(self) -> float:
        line = self.process.stdout.readline()
        said = json.loads(line) if line else {"fault": "its process died"}
        self.fault = said.get("fault", "")
        return float(said.get("figure", "nan"))

    def leave(self) -> None:
        """Let the process end."""
        self.process.stdin.close()
        self.process.wait(30)


def main() -> None:
    """Measure, and print the table."""
    from benchmarks.runtime_models import MODELS

    asked = arguments()
    cores = host().cores
    threads = asked.threads or cores
    print(f"{date.today()}, {cpu()}, {cores} cores, {threads} threads; median (least-most)\n")
    rows: list[str] = []
    names = asked.engines or engines()
    print("| model | batch | " + " | ".join(names) + " |")
    print("|---|---|" + "---|" * len(names))
    for name in [asked.model] if asked.model else MODELS:
        with tempfile.TemporaryDirectory() as folder:
            write(name, Path(folder) / "onnx")
            rows += measure(name, Path(folder), names, asked, threads)
    if rows:
        print("\n" + "\n".join(rows))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", help="One of them; else all.")
    parser.add_argument("--engines", nargs="+", metavar="ENGINE", help="Some of them, by name.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.15, help="Of one engine in a round.")
    parser.add_argument("--threads", type=int, default=0, help="0 takes the cores.")
    return parser.parse_args()


def engines() -> list[str]:
    """Name torch's own ways, and every runtime whose environment is there."""
    there = [row for row in TARGETS if is_built(find_toolchain(row.toolchain))]
    return [EAGER, COMPILED, *(name for row in there for name in (row.runtime, *narrow(row)))]


def narrow(target: Target) -> Iterator[str]:
    """Name a runtime with the narrower numbers that it computes in on this CPU."""
    for precision, flags in target.precisions.items():
        if precision in NARROW and host().flags.issuperset(flags):
            yield f"{target.runtime} {precision}"


def cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    found = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(found, platform.machine())


def write(name: str, folder: Path) -> None:
    """Export a model as ONNX, as a job would."""
    from benchmarks.runtime_models import AXES, MODELS
    from converters.programs.export import export_program
    from converters.programs.signature import program_signature
    from converters.sources.source import Brief, SourceOptions
    from converters.torch_to_onnx import export_onnx

    model = MODELS[name]
    used = {dim for given in model.inputs for dim in given.shape}
    axes = {axis: span for axis, span in AXES.items() if axis in used}
    brief = Brief(options=SourceOptions(), folder=folder, inputs=model.inputs, axes=axes)
    folder.mkdir()
    program = export_program(model.module(), brief)
    export_onnx(program, folder / "model.onnx", program_signature(program, brief))
    options = ConvertOptions(axes=axes, inputs=model.inputs)
    (folder / "options.json").write_text(options.model_dump_json())


def measure(
    name: str, folder: Path, names: list[str], asked: argparse.Namespace, threads: int
) -> list[str]:
    """Ask all engines about one model, print its rows, and return what went wrong.

    Args:
        names: Of the engines; ratios are to the first.
    """
    workers = [start(engine, name, folder, threads) for engine in names]
    for worker in workers:
        worker.hear()
    for batch in BATCHES:
        ratios: dict[str, list[float]] = {engine: [] for engine in names}
        first = []
        for _ in range(asked.rounds):
            order = random.sample(workers, len(workers))
            took = {w.name: w.ask({"batch": batch, "seconds": asked.seconds}) for w in order}
            first.append(took[names[0]])
            for engine, seconds in took.items():
                ratios[engine].append(seconds / first[-1])
        base = f"{statistics.median(first) * 1000:.2f} ms"
        cells = [base, *(cell(ratios[engine]) for engine in names[1:])]
        print(f"| {name} | {batch} | " + " | ".join(cells) + " |", flush=True)
    for worker in workers:
        worker.leave()
    return [f"{name}, {w.name}: {w.fault}" for w in workers if w.fault]


def cell(ratios: list[float]) -> str:
    known = [ratio for ratio in ratios if not math.isnan(ratio)]
    if not known:
        return "—"
    return f"{statistics.median(known):.2f} ({min(known):.2f}-{max(known):.2f})"


def start(engine: str, model: str, folder: Path, threads: int, preload: str = "") -> Worker:
    """Start an engine's process; it tells on its first line that it is ready, or what is wrong.

    Args:
        preload: A library to load before it; "" is none.
    """
    own = engine not in (EAGER, COMPILED)
    toolchain = find_target(engine.partition(" ")[0]).toolchain if own else CURRENT
    settings = {
        "OMP_NUM_THREADS": str(threads),
        "KMP_BLOCKTIME": "0",
        "OMP_WAIT_POLICY": "passive",
        "PYTHONPATH": str(ROOT),
        **({"LD_PRELOAD": preload} if preload else {}),
    }
    python = str(interpreter(find_toolchain(toolchain)))
    call = [python, "-P", "-m", "benchmarks.runtimes_worker", engine, model, str(folder)]
    process = subprocess.Popen(
        [*call, str(threads)],
        env={**os.environ, **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return Worker(engine, process)


if __name__ == "__main__":
    main()
