"""ONNX's own tests on OpenVINO: each is right, rounded, refused, wrong, or ends the process.

Run as a process of its own: the CPU plugin has died of models that it should refuse.
"""

import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import repeat
from pathlib import Path

import numpy as np
import onnx
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

ROOT = Path(__file__).parents[1]
#: Making the cases takes longer than reading them: one process does it for all.
CASES = "cases.pickle"
SETTINGS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "EXECUTION_MODE_HINT": "ACCURACY",
    "INFERENCE_NUM_THREADS": "1",
}

#: A case, and the row of the table of rewrites that it is to do without.
Wanted = tuple[str, int | None]


def verdicts(
    wanted: Sequence[Wanted], folder: Path, processes: int = 2, python: str = sys.executable
) -> dict[Wanted, str]:
    """Judge cases, some side by side: "right", "rounded: …", "refused: …", "wrong: …", "crash".

    Args:
        python: Of the environment whose OpenVINO is judged.
    """
    from tests.onnx_node_cases import node_cases  # noqa: PLC0415

    cases = {**node_cases(), **{name: _opened(one) for name, one in small_models().items()}}
    needed = {name: cases[name] for name, _ in wanted}
    (folder / CASES).write_bytes(pickle.dumps(needed))
    parts = [list(wanted[number::processes]) for number in range(processes)]
    files = [folder / f"{number}.jsonl" for number in range(processes)]
    with ThreadPoolExecutor(processes) as pool:
        found = list(pool.map(_judged, parts, files, repeat(python)))
    return {case: verdict for each in found for case, verdict in each.items()}


def _judged(wanted: list[Wanted], file: Path, python: str) -> dict[Wanted, str]:
    told: dict[Wanted, str] = {}
    while left := [one for one in wanted if told.get(one, "crash") == "crash" and one not in told]:
        file.write_text("")
        task = json.dumps(left)
        subprocess.run(
            [python, "-m", "tests.openvino_node_cases", str(file)],
            cwd=ROOT, input=task, text=True, check=False,
        )  # fmt: skip
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        if not lines:
            raise RuntimeError("no case was even started")
        for name, row, verdict in lines:  # "crash" stands until the verdict follows
            told[name, row] = verdict
    return told


def small_models() -> dict[str, TestCase]:
    """Give the models of several nodes, by kind and name, whose data is still on the disk."""
    return {
        f"{kind}/{case.name}": case
        for kind in ("pytorch-converted", "pytorch-operator", "simple")
        for case in load_model_tests(kind=kind)
    }


def _opened(case: TestCase) -> TestCase:
    """Read a small model and its data."""
    folder = Path(case.model_dir)
    data = [
        tuple(
            [
                onnx.TensorProto.FromString((place / f"{kind}_{number}.pb").read_bytes())
                for number in range(len([*place.glob(f"{kind}_*.pb")]))
            ]
            for kind in ("input", "output")
        )
        for place in sorted(folder.glob("test_data_set_*"))
    ]
    return replace(case, model=onnx.load(folder / "model.onnx"), data_sets=data)


def _run(wanted: list[Wanted], file: Path) -> None:
    cases = pickle.loads((file.parent / CASES).read_bytes())
    with file.open("a") as out:
        for name, row in wanted:
            for verdict in _stages(cases[name], row):
                out.write(json.dumps([name, row, verdict]) + "\n")
                out.flush()


def _stages(case: TestCase, row: int | None) -> Iterator[str]:
    yield "crash"
    with tempfile.TemporaryDirectory() as place:
        yield _verdict(case, row, Path(place))


def _verdict(case: TestCase, row: int | None, folder: Path) -> str:
    from converters.converter import ConvertOptions  # noqa: PLC0415
    from converters.onnx_legal import REWRITES  # noqa: PLC0415
    from converters.onnx_to_openvino import convert_with  # noqa: PLC0415
    from registry.errors import PlatformError  # noqa: PLC0415

    rewrites = [one for number, one in enumerate(REWRITES) if number != row]
    try:
        onnx.save(case.model, folder / "model.onnx")
        convert_with(rewrites, folder, folder / "made", ConvertOptions())
        return _compared(case, folder / "made")
    except PlatformError as error:
        return f"refused: {error}"
    except Exception as error:  # noqa: BLE001 - what the plugin throws has no kind
        return f"failed: {error}"


def _compared(case: TestCase, folder: Path) -> str:
    from registry.errors import InputError  # noqa: PLC0415

    stored = {tensor.name for tensor in case.model.graph.initializer}
    names = [value.name for value in case.model.graph.input if value.name not in stored]
    for given, wanted in case.data_sets:
        feeds = dict(zip(names, given, strict=True))
        try:
            got = _answered({name: _array(value) for name, value in feeds.items()}, folder)
        except InputError as error:
            return f"refused: {error}"
        if len(got) != len(wanted):
            return f"wrong: {len(got)} outputs of {len(wanted)}"
        for one, other in zip(got, wanted, strict=True):
            if (verdict := _held(one, _array(other))) != "right":
                return verdict
    return "right"


def _answered(feeds: dict[str, np.ndarray], folder: Path) -> list[np.ndarray]:
    """Run as the product does; types that its signatures do not have go in by hand."""
    from targets.openvino import DTYPES, load  # noqa: PLC0415
    from targets.target import ThreadPlan  # noqa: PLC0415

    model = _core().read_model(folder / "model.xml")
    if all(port.element_type.get_type_name() in DTYPES for port in model.inputs + model.outputs):
        return list(load(folder, "f32", ThreadPlan(threads=1)).run(feeds).values())
    compiled = _core().compile_model(model, "CPU", SETTINGS)
    request = compiled.create_infer_request()
    for port, said in zip(compiled.inputs, model.inputs, strict=True):
        request.set_tensor(port, _tensor(port, feeds[said.any_name]))
    request.infer()
    return [_values(request.get_output_tensor(number)) for number in range(len(compiled.outputs))]


@cache
def _core() -> object:
    from registry.require import require  # noqa: PLC0415

    return require("openvino", extra="convert").Core()


def _tensor(port: object, array: np.ndarray) -> object:
    from registry.require import require  # noqa: PLC0415

    openvino = require("openvino", extra="convert")
    tensor = openvino.Tensor(port.element_type, openvino.Shape(list(array.shape)))
    if array.size:
        data = tensor.data
        data[...] = array.view(data.dtype) if data.itemsize == array.itemsize else array
    return tensor


def _array(value: object) -> np.ndarray:
    return np.array(
        onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    )


def _values(tensor: object) -> np.ndarray:
    array = np.array(tensor.data)
    if tensor.element_type.get_type_name() == "bf16":
        return array.view(onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.BFLOAT16))
    return array


def _held(got: np.ndarray, wanted: np.ndarray) -> str:
    """Hold numbers against those expected; bfloat16 may be two steps away, bytes one."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"wrong: {got.dtype}{got.shape} for {wanted.dtype}{wanted.shape}"
    one, other = got.astype(np.float64), wanted.astype(np.float64)
    exact = got.dtype.kind in "iub"
    if np.array_equal(got, wanted) or (not exact and _close(one, other, 1e-3, 1e-5)):
        return "right"
    bfloat, byte = wanted.dtype.name == "bfloat16", wanted.dtype == np.uint8
    near = (bfloat and _close(one, other, 2**-6, 2**-9)) or (byte and np.ptp(one - other) <= 1)
    return f"{'rounded' if near else 'wrong'}: {one.ravel()[:8]} for {other.ravel()[:8]}"


def _close(one: np.ndarray, other: np.ndarray, rtol: float, atol: float) -> bool:
    return bool(np.allclose(one, other, rtol=rtol, atol=atol, equal_nan=True))


if __name__ == "__main__":
    _run([(name, row) for name, row in json.load(sys.stdin)], Path(sys.argv[1]))
