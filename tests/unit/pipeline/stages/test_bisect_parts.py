"""The search for what is off in a build of several parts."""

from pathlib import Path

from converters.split.policy import PartRule
from pipeline.processes.task import Task
from pipeline.stages import bisect, convert, cut, validate
from pipeline.stages.bisection import Bisection
from pipeline.stages.chained import onnx_role
from pipeline.stages.placed import exact_role, part_role
from registry.format import Format
from registry.progress import silent
from tests.bad_nodes import AXES, CANCELLED, CANCELLED_WEIGHTS, INPUTS, lay_out, network

TARGET = {"name": "ov", "runtime": "openvino", "threads": 1, "weights": "f16"}
HALF = {"atol": 1e-2, "rtol": 1e-2, "because": "weights of three layers in f16"}
SHOWN = {
    "inputs": [one.model_dump(mode="json") for one in INPUTS],
    "axes": {name: axis.model_dump() for name, axis in AXES.items()},
}


def run(stage, out: Path, options: dict[str, object], **inputs: Path) -> Path:
    out.mkdir()
    task = Task(name=out.name, stage=out.name, inputs=inputs, options=options, folder=out.parent)
    stage.run(task, out, silent)
    return out


def searched(folder: Path, **until: tuple[str, ...]) -> Bisection:
    """Cut the network, convert each part as f32 and as f16, validate and search."""
    lay_out(folder, network(CANCELLED, CANCELLED_WEIGHTS))
    rules = [
        PartRule(name=name, until=ends).model_dump(mode="json") for name, ends in until.items()
    ]
    source = {"kind": "onnx", "file": "model.onnx"}
    parts = run(
        cut,
        folder / "cut",
        {**SHOWN, "source": source, "outputs": ["y"], "parts": rules},
        split=folder / "split",
    )
    reads = {name: folder / name for name in ("split", "tables", "reference", "cut")}
    for name in until:
        reads[onnx_role(name)] = parts
        for role, weights in ((part_role(name), "f16"), (exact_role(name), "f32")):
            step = {"source": Format.ONNX, "result": Format.OPENVINO_IR, "weights": weights}
            options = {**SHOWN, **step, "part": name}
            reads[role] = run(convert, folder / f"{name} {weights}", options, **{"from": parts})
    placed = [{"part": name, "target": TARGET} for name in until]
    told = {
        **SHOWN,
        "build": {"name": "ov", "parts": placed},
        "parity": {"conversion": HALF, "precision": HALF},
    }
    checked = run(validate, folder / "validation", told, **reads)
    out = run(bisect, folder / "bisection", told, validation=checked, **reads)
    return Bisection.model_validate_json((out / "bisect.json").read_bytes())


def test_parts_that_are_off_only_together_are_told_so(tmp_path):
    """Of thousands, the first part is off by little; the second takes the thousands away."""
    found = searched(tmp_path, first=("raised",), last=())
    assert (found.outcome, found.kind, found.part) == ("sum", "precision", "")
    assert "each part by itself is within tolerance" in found.sentence
    assert "their errors add up" in found.sentence


def test_a_part_that_is_off_by_itself_is_searched(tmp_path):
    """Cut elsewhere, the thousands come and go in one part."""
    found = searched(tmp_path, first=("t",), last=())
    assert (found.outcome, found.kind, found.part) == ("node", "precision", "last")
    assert found.last.name == "centre"
    assert found.sentence.startswith("part 'last' is off by itself; first bad node: 'centre'")
