"""One engine of `benchmarks.runtimes`: answers a line that asks with a line that has a figure.

{"batch": 8, "seconds": 0.2}                  seconds of one answer, the median
{"batch": 8, "seconds": 0.2, "at_once": 4}    seconds an answer, of four requests at a time
{"batches": [3, 1, 2]}                        MiB that are held after an answer of each size
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter

from benchmarks.runtimes import COMPILED, EAGER
from converters import route
from converters.calibration import write_feeds
from converters.converter import ConvertOptions
from registry.format import Format
from targets import AnyTarget, find_target
from targets.host.cpu import host, thread_plan
from targets.ipex import VNNI

if TYPE_CHECKING:
    from benchmarks.runtime_models import Model

#: Answers before the clock counts; the first ones compile, and lay out memory.
WARM_UP = 3
LEAST = 3
#: Rows that scales of int8 are found on.
SAMPLES = 64

Answer = Callable[[Mapping[str, np.ndarray]], object]


def main(engine: str, model: str, folder: Path, threads: int) -> None:
    """Load, say so, and answer until nobody asks any more."""
    from benchmarks.runtime_models import MODELS

    stdout, sys.stdout = sys.stdout, sys.stderr
    answer = _guarded(lambda: {"answer": load(engine, model, folder, threads)})
    print(json.dumps({k: v for k, v in answer.items() if k == "fault"}), file=stdout, flush=True)
    warm: set[int] = set()
    for line in sys.stdin:
        asked = json.loads(line)
        said = _guarded(lambda: {"figure": figure(answer["answer"], MODELS[model], asked, warm)})  # noqa: B023
        print(json.dumps(said), file=stdout, flush=True)


def figure(answer: Answer, model: "Model", asked: Mapping[str, Any], warm: set[int]) -> float:
    """Find the figure that was asked for."""
    if "batches" in asked:
        for batch in asked["batches"]:
            answer(model.arrays(batch))
        return held()
    batch = asked["batch"]
    inputs = model.arrays(batch)
    rounds = 0 if batch in warm else WARM_UP
    warm.add(batch)
    if "at_once" in asked:
        return crowd(answer, inputs, asked["at_once"], asked["seconds"])
    return clock(answer, inputs, rounds, asked["seconds"])


def held() -> float:
    """Return the MiB that this process has allocated and holds; mapped files do not count."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:"))


def crowd(answer: Answer, inputs: Mapping[str, np.ndarray], clients: int, seconds: float) -> float:
    """Return the seconds that pass for one answer while so many clients ask without a pause."""
    begin = time.perf_counter()

    def ask_on() -> int:
        count = 0
        while count < LEAST or time.perf_counter() < begin + seconds:
            answer(inputs)
            count += 1
        return count

    with ThreadPoolExecutor(clients) as pool:
        counts = list(pool.map(lambda _: ask_on(), range(clients)))
    return (time.perf_counter() - begin) / sum(counts)


def clock(answer: Answer, inputs: Mapping[str, np.ndarray], rounds: int, seconds: float) -> float:
    """Return the median time of an answer."""
    for _ in range(rounds):
        answer(inputs)
    took: list[float] = []
    end = time.perf_counter() + seconds
    while len(took) < LEAST or time.perf_counter() < end:
        begin = time.perf_counter()
        answer(inputs)
        took.append(time.perf_counter() - begin)
    return statistics.median(took)


def load(engine: str, model: str, folder: Path, threads: int) -> Answer:
    """Make an engine ready."""
    if engine in (EAGER, COMPILED):
        return load_torch(model, threads, compiled=engine == COMPILED)
    from benchmarks.runtime_models import MODELS

    runtime, _, precision = engine.partition(" ")
    asked = slot(runtime, precision or "f32")
    options = narrowed(asked, MODELS[model], folder)
    part, target = folder / "onnx", find_target(runtime)
    for number, step in enumerate(route(Format.ONNX, target.format)):
        step.convert(part, folder / f"{engine}-{number}", options)
        part = folder / f"{engine}-{number}"
    return target.load(part, asked.precision, thread_plan(threads, host())).run


def slot(runtime: str, precision: str) -> AnyTarget:
    """Write a target as a job does; scales of int8 are found before, for the CPU at hand."""
    said: dict[str, object] = {"name": runtime, "runtime": runtime, "precision": precision}
    if precision == "i8":
        isa = ("avx2", "fma", *sorted({VNNI} & host().flags))
        said |= {"calibration": {"samples": SAMPLES}, "isa": isa}
    made: AnyTarget = TypeAdapter(AnyTarget).validate_python(said)
    return made


def narrowed(asked: AnyTarget, model: "Model", folder: Path) -> ConvertOptions:
    """Return what the target asks of its converter, as a job's plan does."""
    options = ConvertOptions.model_validate_json((folder / "onnx/options.json").read_text())
    wanted = {"weights": asked.weights, "isa": asked.isa, "calibrated": asked.calibrated}
    if asked.calibrated:
        wanted["feeds"] = folder / f"feeds-{asked.runtime}"
        write_feeds([model.arrays(SAMPLES)], SAMPLES, folder / f"feeds-{asked.runtime}")
    return options.model_copy(update=wanted)


def load_torch(model: str, threads: int, *, compiled: bool) -> Answer:
    """Take the module itself."""
    import torch

    from benchmarks.runtime_models import MODELS

    torch.set_num_threads(threads)
    module = MODELS[model].module()
    call = torch.compile(module, dynamic=True) if compiled else module
    names = [given.name for given in MODELS[model].inputs]

    def answer(inputs: Mapping[str, np.ndarray]) -> object:
        with torch.inference_mode():
            return call(*(torch.from_numpy(inputs[name]) for name in names)).numpy()

    return answer


def _guarded(function: Callable[[], dict[str, object]]) -> dict[str, object]:
    try:
        return function()
    except Exception as error:  # noqa: BLE001  told to the one who asked
        return {"fault": f"{type(error).__name__}: {str(error)[:300]}"}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
