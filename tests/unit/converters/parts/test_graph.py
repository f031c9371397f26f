"""ONNX graphs are cut where the job says, and the parts together answer to the bit."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from onnx.helper import make_graph, make_node

from converters.brief import Brief, SourceOptions
from converters.onnx_models.files import open_model, signature_of
from converters.parts.cut import cut_parts
from converters.split.policy import PartRule
from registry.composition import Artifact
from registry.errors import SplitError
from registry.format import ENTRY, Format
from registry.signature import Axis, Input
from tests.cutting import onnx_answers, run_parts
from tests.tiny_onnx import model, tensor, values, write
from tests.tiny_recommenders import constant

FLOAT = TensorProto.FLOAT
AXES = {"batch": Axis(max=64), "length": Axis(max=32)}


def layered() -> onnx.ModelProto:
    """Two layers named like an exporter's, a mask that both read, a size of the input, an If."""
    inner = [
        make_graph([make_node("Relu", ["h2"], [name])], name, [], [tensor(name, FLOAT, "batch", 6)])
        for name in ("then", "else")
    ]
    return model(
        [
            make_node("Greater", ["x", "zero"], ["mask"], name="/mask/Greater"),
            make_node("Cast", ["mask"], ["m"], name="/mask/Cast", to=FLOAT),
            make_node("MatMul", ["x", "w"], ["h1"], name="/layers.0/MatMul"),
            make_node("Mul", ["h1", "m"], ["/layers.0/out"], name="/layers.0/Mul"),
            make_node("MatMul", ["/layers.0/out", "w"], ["a"], name="/layers.1/MatMul"),
            make_node("Mul", ["a", "m"], ["h2"], name="/layers.1/Mul"),
            make_node("Shape", ["x"], ["size"], name="/head/Shape"),
            make_node("ReduceMax", ["m"], ["any"], name="/head/Max", keepdims=0),
            make_node("Cast", ["any"], ["some"], name="/head/Cast", to=TensorProto.BOOL),
            make_node(
                "If", ["some"], ["h3"], name="/head/If", then_branch=inner[0], else_branch=inner[1]
            ),
            make_node("Shape", ["h2"], ["size_of_h2"], name="/layers.1/Shape"),
            make_node("Max", ["size", "size_of_h2"], ["shape"], name="/head/Size"),
            make_node("Reshape", ["h3", "shape"], ["y"], name="/head/Reshape"),
        ],
        [tensor("x", FLOAT, "batch", 6)],
        [tensor("y", FLOAT, "batch", 6)],
        [values("w", 6, 6), constant("zero", 0.0, "float32")],
    )


@pytest.fixture(params=[False, True], ids=["inside", "beside"])
def dense(request, tmp_path) -> Path:
    """A model with its weights in the file or beside it."""
    write(layered(), tmp_path / "dense", external=request.param)
    return tmp_path / "dense"


def cut(folder: Path, **until: list[str]) -> tuple[Artifact, ...]:
    signature = signature_of(open_model(folder / "model.onnx"))
    whole = Artifact(
        part="dense", format=Format.ONNX, folder=folder.name, signature=signature, maker="tests"
    )
    inputs = tuple(Input(**tensor.model_dump()) for tensor in signature.inputs)
    brief = Brief(SourceOptions(), folder, inputs, AXES)
    rules = [PartRule(name=name, until=tuple(ends)) for name, ends in until.items()]
    return cut_parts(
        whole, folder.parent, [*rules, PartRule(name="rest")], brief, folder.parent / "out"
    )


def assert_same(folder: Path, parts: tuple[Artifact, ...]) -> None:
    whole = folder / ENTRY[Format.ONNX]
    for rows in (1, 5):
        x = np.random.default_rng(rows).standard_normal((rows, 6)).astype(np.float32)
        right = onnx_answers(whole, {"x": x})["y"]
        assert np.array_equal(run_parts(parts, folder.parent / "out", {"x": x})["y"], right)


def test_parts_end_at_scopes_and_the_weights_go_where_they_are_read(dense):
    first, second, rest = cut(
        dense, first=["/layers.0", "/mask/Cast"], second=["layers.1", "/head/Max"]
    )
    assert [tensor.name for tensor in first.signature.outputs] == [
        "first__m",
        "first__layers_0_out",
    ]
    assert [str(tensor) for tensor in second.signature.inputs] == [
        "first__m: float32[batch, 6]",
        "first__layers_0_out: float32[batch, 6]",
    ]
    assert [tensor.name for tensor in rest.signature.inputs] == [
        "x",
        "second__h2",
        "second__any",
        "second__size_of_h2",
    ]
    stored = [
        {
            one.name
            for one in open_model(dense.parent / "out" / part / "model.onnx").graph.initializer
        }
        for part in ("first", "second", "rest")
    ]
    assert stored == [{"w", "zero"}, {"w"}, set()]
    assert_same(dense, (first, second, rest))


def test_what_a_branch_reads_from_around_it_counts_as_read(dense):
    with pytest.raises(SplitError, match=r"'/layers.1/Mul' \(Mul\) → '/head/If' \(If\)"):
        cut(dense, first=["size_of_h2", "m"])
    assert_same(dense, cut(dense, first=["/layers.1/Mul", "m"]))


def test_a_value_that_leaks_is_told_by_its_nodes(dense):
    with pytest.raises(SplitError) as caught:
        cut(dense, first=["/layers.0"])
    said = str(caught.value)
    assert "input 'x' → '/mask/Greater' (Greater) → '/mask/Cast' (Cast) → '/layers.1/Mul'" in said
    assert 'add "m" to `until`' in said


def test_an_unknown_name_is_told_with_names_that_look_like_it(dense):
    with pytest.raises(SplitError, match=r"is called '/layer.0/\*'.*'/layers.0"):
        cut(dense, first=["/layer.0/*"])


def test_an_output_that_is_called_as_an_input_is_refused(tmp_path):
    write(
        model(
            [make_node("Relu", ["x"], ["h"]), make_node("Abs", ["h"], ["y"])],
            [tensor("x", FLOAT, "batch", 6)],
            [tensor("y", FLOAT, "batch", 6)],
        ),
        tmp_path / "dense",
    )
    signature = signature_of(open_model(tmp_path / "dense/model.onnx"))
    named = signature.outputs[0].model_copy(update={"name": "x"})
    clashing = Artifact(
        part="dense",
        format=Format.ONNX,
        folder="dense",
        signature=signature.model_copy(update={"outputs": (named,)}),
        maker="tests",
    )
    brief = Brief(SourceOptions(), tmp_path, (Input(**signature.inputs[0].model_dump()),), AXES)
    rules = [PartRule(name="first", until=("h",)), PartRule(name="rest")]
    with pytest.raises(SplitError, match="'x' is an input and an output as well"):
        cut_parts(clashing, tmp_path, rules, brief, tmp_path / "out")


def test_a_value_is_not_called_as_an_input(tmp_path):
    given = Input(name="first__h", dtype="float32", shape=("batch", 6), range=(-1, 1))
    write(
        model(
            [make_node("Relu", ["first__h"], ["h"]), make_node("Add", ["h", "first__h"], ["y"])],
            [tensor("first__h", FLOAT, "batch", 6)],
            [tensor("y", FLOAT, "batch", 6)],
        ),
        tmp_path / "dense",
    )
    signature = signature_of(open_model(tmp_path / "dense/model.onnx"))
    whole = Artifact(
        part="dense", format=Format.ONNX, folder="dense", signature=signature, maker="tests"
    )
    rules = [PartRule(name="first", until=("h",)), PartRule(name="rest")]
    brief = Brief(SourceOptions(), tmp_path, (given,), AXES)
    parts = cut_parts(whole, tmp_path, rules, brief, tmp_path / "out")
    assert [one.name for one in parts[1].signature.inputs] == ["first__h", "first__h_2"]
    arrays = {"first__h": np.linspace(-1, 1, 12, dtype="f4").reshape(2, 6)}
    right = onnx_answers(tmp_path / "dense/model.onnx", arrays)
    np.testing.assert_array_equal(run_parts(parts, tmp_path / "out", arrays)["y"], right["y"])


def test_an_input_is_no_end_of_a_part(dense):
    with pytest.raises(SplitError, match="'x' is an input, which every part may read as it is"):
        cut(dense, first=["x"])
