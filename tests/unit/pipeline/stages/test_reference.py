"""The stage that asks the original."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from pipeline.processes.task import Task
from pipeline.stages import reference
from registry.errors import SourceError
from registry.remarks import hearing
from targets.parity.cases import read_cases

ROWS = 20
TABLE = np.arange(ROWS * 2, dtype="f4").reshape(ROWS, 2)
INPUT = {"name": "item", "dtype": "int64", "shape": ("batch",), "ids": {"cardinality": ROWS}}


@pytest.fixture
def folder(tmp_path):
    """A folder with a model that looks up rows, and 600 samples."""
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "item"], ["rows"])],
        "lookup",
        [helper.make_tensor_value_info("item", TensorProto.INT64, ["batch"])],
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["batch", 2])],
        [numpy_helper.from_array(TABLE, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, tmp_path / "model.onnx")
    np.savez(tmp_path / "samples.npz", item=np.arange(600) % ROWS, label=np.arange(600))
    return tmp_path


def asked(folder, samples=None, cardinality=ROWS, leave_out=()):
    options = reference.Options(
        source={"kind": "onnx", "file": "model.onnx"},
        inputs=(INPUT | {"ids": {"cardinality": cardinality}},),
        axes={"batch": {"max": 300}},
        outputs=(),
        samples=samples and {"file": "samples.npz"} | samples,
        batches=(1, 3, 17),
        seed=0,
        leave_out=leave_out,
    )
    out = folder / f"out {len(list(folder.iterdir()))}"
    out.mkdir()
    task = Task(
        name="reference",
        stage="reference",
        options=options.model_dump(mode="json"),
        folder=folder,
    )
    seen = []
    reference.run(task, out, lambda *progress: seen.append(progress))
    cases = list(read_cases(out))
    assert seen[-1] == (len(cases), len(cases), "cases")
    return out, cases


def test_samples_come_first_in_batches_and_in_their_order(folder):
    _, cases = asked(folder, {"rows": 600})
    recorded = [case for case in cases if case.kind == "recorded"]
    assert cases[: len(recorded)] == recorded
    names = ["samples 0 to 255", "samples 256 to 511", "samples 512 to 599"]
    assert [case.name for case in recorded] == names
    rows = np.concatenate([case.outputs["rows"] for case in recorded])
    np.testing.assert_array_equal(rows, TABLE[np.arange(600) % ROWS])


def test_what_is_odd_about_samples_is_told_without_their_folder(folder):
    np.savez(folder / "samples.npz", item=np.arange(600, dtype=np.int32) % ROWS)
    with hearing() as remarks:
        asked(folder, {"rows": 5})
    (remark,) = remarks
    assert remark.by == "samples"
    assert remark.text.startswith("samples.npz: `item` is int32 in the file and int64 in the job")


def test_the_first_batch_holds_all_rows_that_the_version_is_to_carry(folder):
    _, cases = asked(folder, {"rows": 600, "record": 290})
    assert cases[0].name == "samples 0 to 289"


def test_labels_go_with_the_recorded_rows(folder):
    out, _ = asked(folder, {"rows": 300, "labels": "label"})
    labels = load_file(out / "labels.safetensors")["labels"]
    np.testing.assert_array_equal(labels, np.arange(300))


def test_without_samples_the_generated_cases_are_asked(folder):
    out, cases = asked(folder)
    assert {case.kind for case in cases} == {"generated"}
    assert [len(case.inputs["item"]) for case in cases[:3]] == [1, 3, 17]
    assert not (out / "labels.safetensors").exists()


def test_what_the_model_refuses_is_kept_in_its_words(folder):
    _, cases = asked(folder)
    refused = {case.name: case.refused for case in cases if case.refused is not None}
    assert "ids: one of item is 2^31" in refused
    assert all(refused.values())


def test_a_sample_that_the_model_refuses_is_an_error_that_names_it(folder):
    np.savez(folder / "samples.npz", item=np.array([1, ROWS + 5]))
    with pytest.raises(SourceError, match="samples 0 to 1: the original model refuses them"):
        asked(folder, {"rows": 2}, cardinality=100)


def test_a_case_that_the_model_cannot_take_is_named_with_its_shapes_and_the_remedy(folder):
    pair = helper.make_tensor_value_info("item", TensorProto.INT64, ["batch"])
    rows = helper.make_tensor_value_info("rows", TensorProto.INT64, ["half", 2])
    node = helper.make_node("Reshape", ["item", "shape"], ["rows"])
    shape = numpy_helper.from_array(np.array([-1, 2]), "shape")
    graph = helper.make_graph([node], "pairs", [pair], [rows], [shape])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, folder / "model.onnx")
    with pytest.raises(
        SourceError, match=r"'batch of 1' \(item \[1\]\).*say so in the job's `axes`"
    ):
        asked(folder)


def test_a_model_that_draws_its_answers_is_refused(folder):
    model = onnx.load(folder / "model.onnx")
    draw = helper.make_node("RandomNormalLike", ["rows"], ["drawn"], seed=1.0)
    model.graph.node.extend([draw, helper.make_node("Add", ["rows", "drawn"], ["sum"])])
    model.graph.output[0].name = "sum"
    onnx.save(model, folder / "model.onnx")
    with pytest.raises(SourceError, match="output 'sum' is drawn at random"):
        asked(folder)


SILENCE = "silence has no answer here"


def test_cases_that_are_left_out_are_not_asked_and_are_told_with_the_reason(folder):
    _, before = asked(folder)
    with hearing() as remarks:
        _, cases = asked(folder, leave_out=[{"cases": ["ids: *"], "because": SILENCE}])
    gone = [case.name for case in before if case.name.startswith("ids: ")]
    assert len(gone) > 3
    assert [case.name for case in cases] == [c.name for c in before if c.name not in gone]
    (remark,) = remarks
    assert remark.by == "parity"
    assert remark.text == f"left out of the comparison: {'; '.join(gone)}: {SILENCE}"


@pytest.mark.parametrize(
    ("patterns", "said"),
    [
        (
            ["batch of 1", "values: *"],
            r"parity.leave_out\[0\].cases\[1\]: no case .*'values: \*'.*",
        ),
        (["*"], r"parity.leave_out: all generated cases are left out. Leave one in"),
    ],
)
def test_what_leaves_out_nothing_or_all_is_refused(folder, patterns, said):
    with pytest.raises(SourceError, match=said):
        asked(folder, leave_out=[{"cases": patterns, "because": SILENCE}])
