"""Convert ONNX files and graphs of torch for IPEX and run them, inside of its toolchain.

python -m tests.ipex_answers FOLDER: every folder in it holds `model.onnx` or a graph of torch,
`options.json` (of the conversion, for each precision) and `cases/*.npz` (`in/<name>`,
`out/<name>`). Writes
`answers.json`: for each folder and precision the worst error by case, or the fault; the
operators that ran; and what is in force.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from converters import onnx_to_ipex_torchscript, torch_graph_to_ipex_torchscript
from converters.converter import ConvertOptions
from registry.errors import PlatformError
from registry.format import ENTRY, Format
from targets.ipex import TARGET
from targets.target import ThreadPlan


def main(folder: Path) -> None:
    """Answer all cases of all folders."""
    found = {one.name: answer(one) for one in sorted(folder.iterdir()) if one.is_dir()}
    (folder / "answers.json").write_text(json.dumps(found))


def answer(folder: Path) -> dict[str, object]:
    """Answer the cases in each precision."""
    asked = json.loads((folder / "options.json").read_text())
    found: dict[str, object] = {}
    for options in map(ConvertOptions.model_validate, asked):
        bits = f"-{options.calibrated.bits}" if options.calibrated else ""
        out = folder / f"{options.weights}-{options.layout}{bits}"
        if options.calibrated:
            options = options.model_copy(update={"feeds": folder / "feeds"})  # noqa: PLW2901
        try:
            found[out.name] = run(folder, out, options)
        except PlatformError as error:
            found[out.name] = {"fault": str(error)}
    return found


def run(folder: Path, out: Path, options: ConvertOptions) -> dict[str, object]:
    """Convert, load, and compare with what each case wants."""
    import torch  # noqa: PLC0415  the toolchain's

    onnx = (folder / "model.onnx").exists()
    road = onnx_to_ipex_torchscript if onnx else torch_graph_to_ipex_torchscript
    road.convert(folder, out, options)
    signature = road.read_signature(out)
    runner = TARGET.load(out, options.weights, ThreadPlan(threads=1))
    errors = {path.stem: _error(runner, np.load(path)) for path in (folder / "cases").iterdir()}
    nodes = torch.jit.last_executed_optimized_graph().nodes()
    written = torch.jit.load(out / ENTRY[Format.IPEX_TORCHSCRIPT]).inlined_graph
    return {
        "errors": errors,
        "operators": Counter(node.kind() for node in nodes),
        "quantised": quantised(written),
        "bytes": (out / ENTRY[Format.IPEX_TORCHSCRIPT]).stat().st_size,
        "force": runner.in_force(),
        "faults": road.inspect(out),
        "shapes": [list(tensor.shape) for tensor in signature.outputs],
    }


def quantised(graph) -> Counter:
    """Count operators that take nothing but values which were in int8 before."""
    found: Counter = Counter()
    for node in graph.nodes():
        tensors = [one for one in node.inputs() if str(one.type()).startswith(("Tensor", "Float"))]
        taken = {_maker(one) for one in tensors[:1]}
        if taken == {"aten::dequantize"}:
            found[node.kind()] += 1
    return found


def _maker(value) -> str:
    """Name the operator that computed a value, but for new names of it."""
    while value.node().kind() == "aten::alias":
        value = next(iter(value.node().inputs()))
    return value.node().kind()


def _error(runner, case) -> float:
    given = {name[3:]: case[name] for name in case.files if name.startswith("in/")}
    answers = runner.run(given)
    wanted = {name[4:]: case[name] for name in case.files if name.startswith("out/")}
    assert answers.keys() == wanted.keys()
    worst = 0.0
    for name, array in wanted.items():
        assert answers[name].shape == array.shape, (name, answers[name].shape, array.shape)
        off = np.abs(answers[name].astype(float) - array.astype(float)) / (1 + np.abs(array))
        worst = max(worst, float(off.max(initial=0.0)))
    return worst


if __name__ == "__main__":
    main(Path(sys.argv[1]))
