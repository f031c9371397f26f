"""One engine of `benchmarks.runtimes`: answers a line that names a batch with a line of seconds."""

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.runtimes import COMPILED, EAGER
from converters import route
from converters.converter import ConvertOptions
from registry.format import Format
from targets import find_target
from targets.host.cpu import host, thread_plan

#: Answers before the clock counts; the first ones compile, and lay out memory.
WARM_UP = 3
LEAST = 3

Answer = Callable[[Mapping[str, np.ndarray]], object]


def main(engine: str, model: str, folder: Path, threads: int) -> None:
    """Load, say so, and answer until nobody asks any more."""
    from benchmarks.runtime_models import MODELS  # noqa: PLC0415  imports torch

    stdout, sys.stdout = sys.stdout, sys.stderr
    answer = _guarded(lambda: {"answer": load(engine, model, folder, threads)})
    print(json.dumps({k: v for k, v in answer.items() if k == "fault"}), file=stdout, flush=True)
    warm: set[int] = set()
    for line in sys.stdin:
        asked = json.loads(line)
        inputs = MODELS[model].arrays(asked["batch"])
        rounds = 0 if asked["batch"] in warm else WARM_UP
        warm.add(asked["batch"])
        said = _guarded(
            lambda: {"seconds": clock(answer["answer"], inputs, rounds, asked["seconds"])}  # noqa: B023
        )
        print(json.dumps(said), file=stdout, flush=True)


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
    target = find_target(engine)
    options = ConvertOptions.model_validate_json((folder / "onnx/options.json").read_text())
    part = folder / "onnx"
    for number, step in enumerate(route(Format.ONNX, target.format)):
        step.convert(part, folder / f"{engine}-{number}", options)
        part = folder / f"{engine}-{number}"
    return target.load(part, "f32", thread_plan(threads, host())).run


def load_torch(model: str, threads: int, *, compiled: bool) -> Answer:
    """Take the module itself."""
    import torch  # noqa: PLC0415

    from benchmarks.runtime_models import MODELS  # noqa: PLC0415

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
