"""ONNX models are cut at their gathers, and the parts together answer like the file, to the bit."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.helper import make_node

from converters.brief import Brief, RefusalError
from converters.onnx_models.files import open_model
from converters.programs.export import export_program
from converters.programs.signature import program_signature
from converters.sources.onnx_file import SOURCE, OnnxOptions
from converters.split.policy import SplitOptions
from converters.torch_to_onnx import export_onnx
from registry.composition import Split
from registry.errors import InputError, SourceError, SplitError
from registry.progress import silent
from registry.signature import DType, Ids, Input
from tests.composed_onnx import ComposedOnnx
from tests.models import MODELS
from tests.tiny_onnx import model, tensor, values, write
from tests.tiny_recommenders import AXES, INPUTS, INT64, arrays, constant, recommender

FLOAT = TensorProto.FLOAT
USER = INPUTS[0]


def brief_of(folder, inputs):
    return Brief(OnnxOptions(file="model.onnx"), folder, inputs, AXES)


def split(folder, inputs=INPUTS, options=None):
    given = options or SplitOptions()
    return SOURCE.split(brief_of(folder, inputs), given, folder / "out", silent)


@pytest.fixture(scope="module", params=[False, True], ids=["inside", "beside"])
def cut(request, tmp_path_factory):
    """A recommender, its weights in the file or beside it, and its split."""
    folder = tmp_path_factory.mktemp("recommender")
    write(recommender(), folder, external=request.param)
    return folder, split(folder)


def why(found: Split) -> dict[str, str]:
    return {kept.table: kept.why for kept in found.kept}


def test_lookups_are_found_and_alike_ones_are_one(cut):
    _, found = cut
    assert [(one.output, one.table, one.ids) for one in found.lookups] == [
        ("emb__users__0", "users", "user"),
        ("emb__users__1", "users", "past"),
        ("emb__shops__0", "shops", "ids__0"),
        ("emb__bias__0", "bias", "ids__0"),
        ("emb__half__0", "half", "ids__1"),
        ("emb__hashes__0", "hashes", "ids__2"),
    ]
    assert [(one.name, one.rows, one.dim, one.dtype.value, one.keys) for one in found.tables] == [
        ("users", 1200, 4, "float32", ("users.weight",)),
        ("shops", 1100, 6, "float32", ("shops.weight",)),
        ("bias", 1100, 1, "float32", ("bias",)),
        ("half", 1300, 5, "float16", ("half",)),
        ("hashes", 1000, 3, "float32", ("hashes",)),
    ]
    assert found.kept == ()


def test_the_ids_program_takes_integers_alone_and_the_dense_part_vectors(cut):
    folder, found = cut
    assert str(found.ids.signature) == (
        "(fields: int64[batch, 2], raw: int64[batch])"
        " -> (ids__0: int64[batch], ids__1: int64[batch], ids__2: int64[batch])"
    )
    assert [str(one) for one in found.dense.signature.inputs] == [
        "price: float32[batch, 3]",
        "emb__users__0: float32[batch, 4]",
        "emb__users__1: float32[batch, length, 4]",
        "emb__shops__0: float32[batch, 6]",
        "emb__bias__0: float32[batch, 1]",
        "emb__half__0: float16[batch, 5]",
        "emb__hashes__0: float32[batch, 3]",
    ]
    assert "Gather" not in found.nodes_after
    stored = open_model(folder / "out" / "dense" / "model.onnx").graph.initializer
    assert {one.name for one in stored} == {"w", "one", "six"}
    files = list((folder / "out" / "dense").iterdir())
    assert sum(path.stat().st_size for path in files) < 8000
    assert Split.model_validate_json((folder / "out" / "split.json").read_text()) == found


@pytest.mark.parametrize("batch", [1, 2, 7])
def test_the_parts_answer_like_the_file_to_the_bit(batch, cut):
    folder, found = cut
    whole = SOURCE.answers(brief_of(folder, INPUTS))(arrays(batch))
    assert np.abs(whole["score"]).max() > 0.1
    parts = ComposedOnnx(found, folder / "out").run(arrays(batch))
    assert np.array_equal(parts["score"], whole["score"])


def test_what_the_file_refuses_the_parts_refuse(cut):
    folder, found = cut
    composed, whole = ComposedOnnx(found, folder / "out"), SOURCE.answers(brief_of(folder, INPUTS))
    for name, id_ in (("user", 1200), ("user", 2**31), ("user", -1201), ("past", 1200)):
        bad = arrays(4)
        bad[name].flat[1] = id_
        with pytest.raises(RefusalError):
            whole(bad)
        with pytest.raises(InputError):
            composed.run(bad)


def test_rows_beside_the_file_are_pointed_to_and_not_copied(tmp_path):
    write(recommender(), tmp_path, external=True)
    found = split(tmp_path)
    sizes = [(tmp_path / "out" / one.file).stat().st_size for one in found.origins]
    assert max(sizes) < 500
    (tmp_path / "model.onnx.data").write_bytes(b"short")
    with pytest.raises(SourceError, match=r"model\.onnx\.data: rows end at byte .* run again"):
        ComposedOnnx(found, tmp_path / "out")


def lookup(folder, nodes, weights, inputs=("user",), shape=("batch", 4)):
    """Write a model of a few nodes that give `y`."""
    given = [tensor(name, INT64, "batch") for name in inputs]
    write(model(nodes, given, [tensor("y", FLOAT, *shape)], weights), folder)


def test_ids_that_the_job_does_not_call_ids_count_from_the_end_as_in_the_file(tmp_path):
    """Those that it calls ids come straight in: there is nothing to compute."""
    table = values("table", 1200, 4)
    lookup(tmp_path, [make_node("Gather", ["table", "user"], ["y"])], [table])
    assert split(tmp_path, (USER,)).ids is None
    plain = Input(name="user", dtype=DType.INT64, shape=("batch",), range=(-1200, 1199))
    padded = USER.model_copy(update={"ids": Ids(cardinality=1200, padding=-1)})
    ids = {"user": np.array([-1, -1200, 0, 1199])}
    for given in (plain, padded):
        found = split(tmp_path, (given,))
        parts = ComposedOnnx(found, tmp_path / "out")
        whole = SOURCE.answers(brief_of(tmp_path, (given,)))
        assert np.array_equal(parts.run(ids)["y"], whole(ids)["y"])
        with pytest.raises(InputError):
            parts.run({"user": np.array([-1201])})


def test_a_lookup_by_the_vectors_of_another_stays(tmp_path):
    nodes = [
        make_node("Gather", ["next", "user"], ["n"]),
        make_node("Cast", ["n"], ["ids"], to=INT64),
        make_node("Gather", ["table", "ids"], ["y"]),
    ]
    following = constant("next", np.arange(1200) % 7, "float32")
    lookup(tmp_path, nodes, [following, values("table", 1200, 4)])
    found = split(tmp_path, (USER,))
    assert why(found) == {"table": "its ids come from the vectors of another lookup"}
    assert [one.table for one in found.lookups] == ["next"]
    ids = {"user": np.array([3, 1199])}
    whole = SOURCE.answers(brief_of(tmp_path, (USER,)))(ids)
    assert np.array_equal(ComposedOnnx(found, tmp_path / "out").run(ids)["y"], whole["y"])


def test_positions_are_no_lookup_even_where_their_number_is_an_inputs(tmp_path):
    nodes = [
        make_node("Shape", ["user"], ["s"]),
        make_node("Squeeze", ["s"], ["n"]),
        make_node("Range", ["zero", "n", "step"], ["positions"]),
        make_node("Gather", ["table", "positions"], ["y"]),
    ]
    weights = [values("table", 1200, 4), constant("zero", 0), constant("step", 1)]
    lookup(tmp_path, nodes, weights)
    said = "its ids are positions or constants: no input's value decides them"
    assert why(split(tmp_path, (USER,))) == {"table": said}


def test_ids_that_weights_decide_stay(tmp_path):
    nodes = [
        make_node("Cast", ["user"], ["f"], to=FLOAT),
        make_node("Unsqueeze", ["f", "one"], ["f1"]),
        make_node("MatMul", ["f1", "w"], ["m"]),
        make_node("ArgMax", ["m"], ["ids"], axis=1, keepdims=0),
        make_node("Gather", ["table", "ids"], ["y"]),
    ]
    weights = [values("table", 1200, 4), values("w", 1, 9), constant("one", [1])]
    lookup(tmp_path, nodes, weights)
    assert why(split(tmp_path, (USER,))) == {"table": "its ids are computed from the weight w"}


def test_a_lookup_in_a_branch_stays_and_a_vector_that_a_branch_takes_is_cut(tmp_path):
    def branch(name, table):
        made = [make_node("Gather", [table, "user"], [f"{name}_v"])]
        made.append(make_node("Add", [f"{name}_v", "outer"], [name]))
        return helper.make_graph(made, name, [], [tensor(name, FLOAT, "batch", 4)])

    nodes = [
        make_node("Gather", ["outside", "user"], ["outer"]),
        make_node("ReduceMax", ["user"], ["most"], keepdims=0),
        make_node("Less", ["most", "limit"], ["low"]),
        make_node(
            "If", ["low"], ["y"], then_branch=branch("a", "one"), else_branch=branch("b", "two")
        ),
    ]
    tables = [values(name, 1200, 4) for name in ("outside", "one", "two")]
    lookup(tmp_path, nodes, [*tables, constant("limit", 600)])
    found = split(tmp_path, (USER,))
    said = "its lookup is inside control flow (If)"
    assert why(found) == {"one": said, "two": said}
    parts, whole = (
        ComposedOnnx(found, tmp_path / "out"),
        SOURCE.answers(brief_of(tmp_path, (USER,))),
    )
    for ids in ({"user": np.array([3, 9])}, {"user": np.array([1199])}):
        assert np.array_equal(parts.run(ids)["y"], whole(ids)["y"])


def test_a_tied_table_is_cut_and_its_copy_told(tmp_path):
    nodes = [
        make_node("Gather", ["table", "user"], ["v"]),
        make_node("Transpose", ["table"], ["t"]),
        make_node("MatMul", ["v", "t"], ["y"]),
    ]
    lookup(tmp_path, nodes, [values("table", 1200, 4)], shape=("batch", 1200))
    found = split(tmp_path, (USER,))
    said = "cut for its lookups, and a copy stays: it is also used densely"
    assert why(found) == {"table": said}
    assert [one.table for one in found.lookups] == ["table"]
    kept = split(tmp_path, (USER,), SplitOptions(tied="keep"))
    assert kept.lookups == ()
    assert why(kept)["table"].startswith("also used densely by Transpose (node 't'): the job keeps")
    with pytest.raises(SplitError, match=r"table table .* also used densely by Transpose"):
        split(tmp_path, (USER,), SplitOptions(tied="error"))


def test_vectors_may_be_an_output(tmp_path):
    lookup(tmp_path, [make_node("Gather", ["table", "user"], ["y"])], [values("table", 1200, 4)])
    found = split(tmp_path, (USER,))
    assert str(found.dense.signature) == (
        "(emb__table__0: float32[batch, 4]) -> (y: float32[batch, 4])"
    )


def test_the_job_chooses_by_name(tmp_path):
    write(recommender(), tmp_path)
    found = split(tmp_path, options=SplitOptions(tables=("users*", "hashes")))
    assert {one.table for one in found.lookups} == {"users", "hashes"}
    assert why(found)["bias"] == "split.tables does not name it"
    assert split(tmp_path, options=SplitOptions(tables="none")).lookups == ()
    with pytest.raises(SplitError, match=r"'userz' matches no table; did you mean 'users'\?"):
        split(tmp_path, options=SplitOptions(tables=("userz",)))


def test_ids_that_come_as_floats_too_narrow_for_the_rows_are_remarked_on(tmp_path):
    nodes = [
        make_node("Cast", ["x"], ["ids"], to=INT64),
        make_node("Gather", ["table", "ids"], ["y"]),
    ]
    table = constant("table", np.ones((2100, 2)), "float16")
    half = TensorProto.FLOAT16
    given = [tensor("x", half, "batch")]
    write(model(nodes, given, [tensor("y", half, "batch", 2)], [table]), tmp_path)
    x = Input(name="x", dtype=DType.FLOAT16, shape=("batch",), ids=Ids(cardinality=2100))
    (said,) = [one.text for one in split(tmp_path, (x,)).remarks if one.by == "split"]
    assert "come in as float16 by the input x, which tells ids apart up to 2048 alone" in said


def test_quantised_rows_are_looked_up_as_they_are(tmp_path):
    nodes = [
        make_node("Gather", ["table", "user"], ["q"]),
        make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"]),
    ]
    rows = np.random.default_rng(0).integers(0, 256, (1200, 4))
    weights = [
        constant("table", rows, "uint8"),
        constant("scale", 0.03, "float32"),
        constant("zero", 7, "uint8"),
    ]
    lookup(tmp_path, nodes, weights)
    found = split(tmp_path, (USER,))
    assert str(found.dense.signature.inputs[0]) == "emb__table__0: uint8[batch, 4]"
    ids = {"user": np.array([0, 1199, 5])}
    whole = SOURCE.answers(brief_of(tmp_path, (USER,)))(ids)
    assert np.array_equal(ComposedOnnx(found, tmp_path / "out").run(ids)["y"], whole["y"])


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (make_node("Gather", ["table", "user"], ["v"], axis=1), "read by Gather along axis 1,"),
        (make_node("GatherND", ["table", "pairs"], ["v"]), "read by GatherND, which is no lookup"),
    ],
)
def test_what_picks_no_rows_by_ids_stays_and_is_told(node, said, tmp_path):
    nodes = [
        make_node("Unsqueeze", ["user", "one"], ["column"]),
        make_node("Concat", ["column", "column"], ["pairs"], axis=1),
        node,
        make_node("ReduceSum", ["v"], ["y"], keepdims=0),
    ]
    lookup(tmp_path, nodes, [values("table", 1200, 1200), constant("one", [1])], shape=())
    found = split(tmp_path, (USER,))
    assert found.lookups == ()
    assert why(found)["table"].startswith(said)


def test_a_table_of_bfloat16_stays_and_is_told(tmp_path):
    nodes = [
        make_node("Gather", ["table", "user"], ["v"]),
        make_node("Cast", ["v"], ["y"], to=FLOAT),
    ]
    table = helper.make_tensor("table", TensorProto.BFLOAT16, [1200, 4], np.ones(4800))
    lookup(tmp_path, nodes, [table])
    said = "its rows are bfloat16, which no lookup hands to an ONNX model"
    assert why(split(tmp_path, (USER,))) == {"table": said}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """DLRM as torch.onnx writes it."""
    dlrm, file = MODELS["dlrm"], tmp_path_factory.mktemp("dlrm") / "model.onnx"
    program = export_program(dlrm.module(), dlrm.brief())
    export_onnx(program, file, program_signature(program, dlrm.brief()))
    return onnx.load(file)


@pytest.mark.parametrize("external", [False, True])
def test_a_model_that_torch_exported_is_cut(external, exported, tmp_path):
    dlrm = MODELS["dlrm"]
    write(exported, tmp_path, external=external)
    found = split(tmp_path, dlrm.inputs)
    assert {one.table for one in found.lookups} == {"user", "tags"}
    assert found.kept == ()
    parts = ComposedOnnx(found, tmp_path / "out")
    whole = SOURCE.answers(brief_of(tmp_path, dlrm.inputs))
    for size in (1, 5, 9):
        given = dlrm.arrays(size)
        assert np.array_equal(parts.run(given)["output"], whole(given)["output"])
