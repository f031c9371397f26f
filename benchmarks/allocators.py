"""What an allocator does for a runtime: time of an answer, alone and in a crowd, and memory held.

    python -m benchmarks.allocators [--runtime ipex] [--model MLP] [--rounds 5] [--seconds 0.15]

Every runtime runs once with each allocator, each in a process of its own; they are asked in
turn, in another order each round. Times are ratios to the C library's allocator of the same
round: median (least-most), below 1 is faster. Memory is what the process holds (anonymous pages)
after batches of 1 to 64 in a shuffled order, as a ratio likewise. Prints a table in Markdown.
"""

import argparse
import random
import shutil
import statistics
import tempfile
from contextlib import suppress
from datetime import date
from pathlib import Path

from benchmarks.runtimes import BATCHES, Worker, cell, cpu, start, write
from pipeline.toolchains import find_toolchain
from pipeline.toolchains.place import is_built
from registry.errors import ContractError
from targets import TARGETS
from targets.host.allocator import LIBRARIES, library_of
from targets.host.cpu import host

#: How many requests are under way at a time in a crowd, and of what batch.
CLIENTS, CROWD_BATCH = 4, 8

#: Models that take a moment.
MODELS = ("MLP", "DLRM dense", "residual CNN")


def main() -> None:
    """Measure, and print the table."""
    asked = arguments()
    cores = host().cores
    print(f"{date.today()}, {cpu()}, {cores} cores; ratio to default, median (least-most)\n")
    print(f"| runtime | model | asked | default | {' | '.join(installed())} |")
    print("|---|---|---|---|" + "---|" * len(installed()))
    for runtime in [asked.runtime] if asked.runtime else runtimes():
        for model in [asked.model] if asked.model else MODELS:
            measure(runtime, model, asked)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runtime", help="One of them; else all that are there.")
    parser.add_argument("--model", help=f"One of benchmarks.runtimes; else {', '.join(MODELS)}.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.15, help="Of one process in a round.")
    return parser.parse_args()


def runtimes() -> list[str]:
    return [row.runtime for row in TARGETS if is_built(find_toolchain(row.toolchain))]


def installed() -> dict[str, str]:
    """Return the libraries of the allocators that this host has, besides the C library's own."""
    found = {}
    for allocator in LIBRARIES:
        with suppress(ContractError):
            found[allocator] = str(library_of(allocator))
    return found


def measure(runtime: str, model: str, asked: argparse.Namespace) -> None:
    """Ask one runtime about one model with each allocator, and print its rows."""
    questions: dict[str, dict[str, object]] = {
        f"batch {batch}": {"batch": batch, "seconds": asked.seconds} for batch in BATCHES
    }
    crowd = {"batch": CROWD_BATCH, "seconds": asked.seconds, "at_once": CLIENTS}
    questions[f"batch {CROWD_BATCH}, {CLIENTS} requests at a time"] = crowd
    with tempfile.TemporaryDirectory() as name:
        workers = begin(runtime, model, Path(name))
        for question, text in questions.items():
            print_row((runtime, model, question), ask(workers, text, asked.rounds), "ms", 1000)
        batches = random.Random(0).sample(range(1, 65), 64)
        found = ask(workers, {"batches": batches}, 1)
        print_row((runtime, model, "memory after 64 batches"), found, "MiB", 1)
        for worker in workers.values():
            worker.leave()


def begin(runtime: str, model: str, folder: Path) -> dict[str, Worker]:
    """Start a process with each allocator, and wait until all are ready."""
    write(model, folder / "onnx")
    workers = {}
    for allocator, preload in {"default": "", **installed()}.items():
        shutil.copytree(folder / "onnx", folder / allocator / "onnx")
        workers[allocator] = start(runtime, model, folder / allocator, host().cores, preload)
    for allocator, worker in workers.items():
        worker.hear()
        if worker.fault:
            raise SystemExit(f"{runtime} with {allocator}: {worker.fault}")
    return workers


def ask(
    workers: dict[str, Worker], question: dict[str, object], rounds: int
) -> dict[str, list[float]]:
    """Return the figures of each allocator, round by round."""
    found: dict[str, list[float]] = {name: [] for name in workers}
    for _ in range(rounds):
        for name in random.sample(list(workers), len(workers)):
            found[name].append(workers[name].ask(question))
    return found


def print_row(
    names: tuple[str, str, str], found: dict[str, list[float]], unit: str, scale: float
) -> None:
    """Print what the C library's allocator needs, and the others' ratios to it."""
    base = found["default"]
    others = [
        cell([figure / first for figure, first in zip(found[name], base, strict=True)])
        for name in installed()
    ]
    first = f"{statistics.median(base) * scale:.2f} {unit}"
    print("| " + " | ".join((*names, first, *others)) + " |", flush=True)


if __name__ == "__main__":
    main()
