import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from converters.onnx_models.files import open_model, read_signature, signature_of
from converters.onnx_models.shapes import infer_shapes
from converters.sources.onnx_file import SOURCE, OnnxOptions
from converters.sources.source import Brief, RefusalError
from converters.split.policy import SplitOptions
from registry.composition import Split
from registry.errors import SourceError, SplitError
from registry.progress import silent
from registry.signature import Axis, DType, Ids, Input
from tests import hostile_files

X = Input(name="x", dtype="float32", shape=("batch", 4))


def brief(folder, *inputs, outputs=()):
    axes = {"batch": Axis(max=64)}
    return Brief(OnnxOptions(file="model.onnx"), folder, inputs or (X,), axes, outputs)


def split(folder, *inputs, outputs=(), options=None):
    given = brief(folder, *inputs, outputs=outputs)
    return SOURCE.split(given, options or SplitOptions(), folder / "out", silent)


def write(folder, nodes, inputs, outputs, weights=(), *, opset=17, domains=()):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(weights))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(one, 1) for one in domains)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def value(name, *shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def relu(folder, shape=("N", 4), **kwargs):
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    write(folder, nodes, [value("x", *shape)], [value("y", *shape)], **kwargs)


def test_a_model_with_external_data_becomes_the_dense_part_with_the_jobs_names(tmp_path):
    hostile_files.matmul(tmp_path, width=256)
    found = split(tmp_path, outputs=("scores",))
    assert str(found.signature) == "(x: float32[batch, 4]) -> (scores: float32[batch, 256])"
    assert read_signature(tmp_path / "out" / "dense") == found.signature
    copied = (tmp_path / "out" / "dense" / "model.data").read_bytes()
    assert copied == (tmp_path / "model.data").read_bytes()
    assert Split.model_validate_json((tmp_path / "out" / "split.json").read_text()) == found
    assert found.nodes_before == {"MatMul": 1}


def test_small_weights_beside_the_file_are_brought_in(tmp_path):
    """Runtimes and shape inference have to see the sizes of a Split and the like."""
    nodes = [
        helper.make_node("Split", ["x", "sizes"], ["left", "right"], axis=1),
        helper.make_node("MatMul", ["left", "weight"], ["y"]),
    ]
    weights = [
        numpy_helper.from_array(np.array([1, 3]), "sizes"),
        numpy_helper.from_array(np.ones((1, 512), "float32"), "weight"),
    ]
    write(tmp_path, nodes, [value("x", "N", 4)], [value("y", "N", 512)], weights)
    file = tmp_path / "model.onnx"
    model = onnx.load(file)
    onnx.save(model, file, save_as_external_data=True, size_threshold=0, location="model.data")
    split(tmp_path)
    written = open_model(tmp_path / "out" / "dense" / "model.onnx").graph.initializer
    assert {one.name: one.data_location for one in written} == {"sizes": 0, "weight": 1}
    answers = SOURCE.answers(brief(tmp_path))({"x": np.full((2, 4), 3, "float32")})
    assert np.array_equal(answers["y"], np.full((2, 512), 3, "float32"))


def test_it_answers_under_the_jobs_names(tmp_path):
    hostile_files.matmul(tmp_path)
    answer = SOURCE.answers(brief(tmp_path, outputs=("scores",)))
    x = np.ones((3, 4), "float32")
    assert np.array_equal(answer({"x": x})["scores"], x)


def test_files_are_the_model_and_its_data(tmp_path):
    hostile_files.matmul(tmp_path)
    found = SOURCE.files(OnnxOptions(file="model.onnx"), tmp_path)
    assert {file.name for file in found} == {"model.onnx", "model.data"}


def test_a_lookup_refuses_unknown_ids_and_its_table_is_told_where_it_stays(tmp_path):
    table = numpy_helper.from_array(np.ones((2000, 3), "float32"), "table")
    nodes = [helper.make_node("Gather", ["table", "ids"], ["y"])]
    ids = value("ids", None, kind=TensorProto.INT64)
    write(tmp_path, nodes, [ids], [value("y", None, 3)], [table])
    given = Input(name="ids", dtype="int64", shape=("batch",), ids=Ids(cardinality=2000))
    found = split(tmp_path, given, options=SplitOptions(tables="none"))
    assert str(found.signature) == "(ids: int64[batch]) -> (y: float32[batch, 3])"
    assert (found.kept[0].table, found.kept[0].rows) == ("table", 2000)
    with pytest.raises(RefusalError):
        SOURCE.answers(brief(tmp_path, given))({"ids": np.array([2000])})
    seen = SOURCE.inspect(OnnxOptions(file="model.onnx"), tmp_path, {})
    assert seen.inputs[0][0] == given
    assert seen.tables == (("table", 2000, 3),)


def test_axes_of_outputs_that_the_file_names_otherwise_are_found_by_asking_it(tmp_path):
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Shape", ["x"], ["size"])]
    outputs = [value("y", "unk__7", 4), value("size", "two", kind=TensorProto.INT64)]
    write(tmp_path, nodes, [value("x", None, 4)], outputs)
    assert [tensor.shape for tensor in split(tmp_path).signature.outputs] == [("batch", 4), (2,)]


def test_an_axis_that_cannot_be_asked_for_keeps_its_name(tmp_path):
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
    shape = numpy_helper.from_array(np.array([-1, 64]), "shape")
    write(tmp_path, nodes, [value("x", "N", 4)], [value("y", "rows", 64)], [shape])
    assert split(tmp_path).signature.outputs[0].shape == ("rows", 64)


def test_a_baked_batch_is_named(tmp_path):
    relu(tmp_path, (1, 4))
    with pytest.raises(SourceError, match="axis 'batch' is baked in at 1, as axis 0 of input 'x'"):
        split(tmp_path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (X.model_copy(update={"name": "X"}), "no input 'X'.*the job lacks the input x"),
        (
            X.model_copy(update={"dtype": DType.FLOAT64}),
            "is float32 in the model, float64 in the job",
        ),
        (X.model_copy(update={"shape": ("batch",)}), "has 2 axes in the model"),
        (X.model_copy(update={"shape": ("batch", 5)}), "axis 1 of input 'x' is 4 in the model"),
    ],
)
def test_inputs_that_are_not_the_models_are_refused(given, said, tmp_path):
    relu(tmp_path)
    with pytest.raises(SourceError, match=said):
        split(tmp_path, Input.model_validate(given.model_dump()))


def test_outputs_are_named_all_or_none(tmp_path):
    relu(tmp_path)
    with pytest.raises(SourceError, match=r"has 1 outputs \(y\)"):
        split(tmp_path, outputs=("a", "b"))
    with pytest.raises(SourceError, match="'x' is another value's name"):
        split(tmp_path, outputs=("x",))


def test_tables_that_there_are_not_cannot_be_asked_for(tmp_path):
    relu(tmp_path)
    with pytest.raises(SplitError, match="matches no table"):
        split(tmp_path, options=SplitOptions(tables=("emb*",)))


def test_an_old_opset_is_refused(tmp_path):
    relu(tmp_path, opset=9)
    with pytest.raises(SourceError, match="is of opset 9; from 11 on"):
        split(tmp_path)


def test_a_foreign_operator_is_named(tmp_path):
    nodes = [helper.make_node("ATen", ["x"], ["y"], name="bag", domain="org.pytorch.aten")]
    write(tmp_path, nodes, [value("x", "N", 4)], [value("y", "N", 4)], domains=["org.pytorch.aten"])
    with pytest.raises(
        SourceError, match=r"org\.pytorch\.aten::ATen \(node 'bag'\) is not a stand"
    ):
        split(tmp_path)


def test_an_operator_that_its_opset_lacks_is_named(tmp_path):
    nodes = [helper.make_node("Gelu", ["x"], ["y"])]
    write(tmp_path, nodes, [value("x", "N", 4)], [value("y", "N", 4)], opset=17)
    with pytest.raises(SourceError, match="operator Gelu is not in opset 17"):
        split(tmp_path)


def test_nan_weights_are_named_wherever_they_lie(tmp_path):
    hostile_files.matmul(tmp_path)
    data = np.eye(4, dtype="float32")
    data[2, 1] = np.nan
    (tmp_path / "model.data").write_bytes(data.tobytes())
    with pytest.raises(SourceError, match="weight 'weight' holds NaN"):
        split(tmp_path)
    nodes = [helper.make_node("Add", ["x", "bias"], ["y"])]
    bias = numpy_helper.from_array(np.array([np.nan, 0, 0, 0], "float32"), "bias")
    write(tmp_path, nodes, [value("x", "N", 4)], [value("y", "N", 4)], [bias])
    with pytest.raises(SourceError, match="weight 'bias' holds NaN"):
        split(tmp_path)


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("../secret", "lies outside the model's folder"),
        ("/etc/passwd", "lies outside the model's folder"),
        ("sub/../../secret", "lies outside the model's folder"),
        ("sub/../model.data", "lies outside the model's folder"),
        ("hole", "is missing: hole"),
        ("gone.data", "is missing: gone.data"),
        ("", "does not say where"),
    ],
)
def test_data_outside_the_folder_is_never_read(location, said, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(bytes(64))
    (folder / "hole").symlink_to("/dev/zero")
    hostile_files.matmul(folder, location=location)
    for call in (split, lambda folder: SOURCE.answers(brief(folder))):
        with pytest.raises(SourceError, match=said):
            call(folder)


def test_a_model_in_a_cache_of_downloads_is_read_through_its_links(tmp_path):
    """As huggingface_hub lays them: names are links to files that are named by their digest."""
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "1f2e" / "onnx"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    hostile_files.matmul(blobs, width=256)
    for name in ("model.onnx", "model.data"):
        (blobs / name).rename(blobs / f"digest-of-{name}")
        (snapshot / name).symlink_to(f"../../../blobs/digest-of-{name}")
    assert SOURCE.files(OnnxOptions(file="model.onnx"), snapshot) == (
        snapshot / "model.onnx",
        snapshot / "model.data",
    )
    split(snapshot)
    copied = snapshot / "out" / "dense" / "model.data"
    assert not copied.is_symlink()
    assert copied.read_bytes() == (blobs / "digest-of-model.data").read_bytes()
    answer = SOURCE.answers(brief(snapshot))
    assert answer({"x": np.eye(4, dtype="float32")})["y"].shape == (4, 256)


def test_data_that_is_cut_short_is_told(tmp_path):
    hostile_files.matmul(tmp_path)
    (tmp_path / "model.data").write_bytes(bytes(32))
    with pytest.raises(SourceError, match=r"needs 64 bytes from 0 on of model\.data, which has 32"):
        split(tmp_path)


def test_a_length_that_lies_is_told(tmp_path):
    hostile_files.matmul(tmp_path, length="-1")
    with pytest.raises(SourceError, match="says it lies at offset 0, length -1"):
        split(tmp_path)


@pytest.mark.parametrize("data", [b"", b"\x00" * 100, b"\x80\x04K\x01.", b"not onnx at all"])
def test_a_file_that_is_not_onnx_is_told(data, tmp_path):
    (tmp_path / "model.onnx").write_bytes(data)
    with pytest.raises(SourceError, match="is not an ONNX file"):
        split(tmp_path)


def test_a_cut_file_is_told(tmp_path):
    relu(tmp_path)
    whole = (tmp_path / "model.onnx").read_bytes()
    (tmp_path / "model.onnx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match="is not an ONNX file"):
        split(tmp_path)


def test_shapes_are_inferred_without_losing_a_node_though_weights_are_beyond_protobuf(tmp_path):
    rows = (3 << 30) // 16
    weight = TensorProto(name="weight", data_type=1, dims=[4, rows], data_location=1)
    for key, said in (("location", "model.data"), ("offset", "0"), ("length", str(rows * 16))):
        weight.external_data.add(key=key, value=said)
    with (tmp_path / "model.data").open("wb") as file:
        file.truncate(rows * 16)
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["y"])]
    write(tmp_path, nodes, [value("x", "N", 4)], [value("y", None, None)], [weight])
    model = open_model(tmp_path / "model.onnx")
    inferred = infer_shapes(model)
    assert len(inferred.graph.node) == 1
    assert signature_of(inferred).outputs[0].shape == ("N", rows)


def test_a_strict_fault_of_shapes_is_told(tmp_path):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    weight = numpy_helper.from_array(np.ones((5, 2), "float32"), "w")
    write(tmp_path, nodes, [value("x", "N", 4)], [value("y", "N", 2)], [weight])
    with pytest.raises(SourceError, match="contradicts itself"):
        split(tmp_path)


def test_functions_of_the_file_are_put_in_place(tmp_path):
    function = helper.make_function(
        "own",
        "Twice",
        ["a"],
        ["b"],
        [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 17)],
    )
    nodes = [helper.make_node("Twice", ["x"], ["y"], domain="own")]
    graph = helper.make_graph(nodes, "graph", [value("x", "N", 4)], [value("y", "N", 4)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, functions=[function], opset_imports=opsets, ir_version=8)
    onnx.save(model, tmp_path / "model.onnx")
    assert split(tmp_path).nodes_before == {"Add": 1}
