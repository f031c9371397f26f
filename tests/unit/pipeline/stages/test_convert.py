"""The stage that takes one step of a route, and the one that writes tables."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from safetensors.numpy import load_file

from pipeline.processes.task import Task
from pipeline.stages import convert, tables
from pipeline.stages.part import read_part
from pipeline.stages.placed import WHOLE
from registry.composition import Split
from registry.errors import ConversionError
from registry.progress import silent
from registry.signature import Ids, Input, Signature, Tensor
from tests import pieces


def run(stage, out, options, progress=silent, **inputs):
    out.mkdir()
    task = Task(
        name="a task",
        stage="a stage",
        inputs=inputs,
        options=options.model_dump(mode="json"),
        folder=out.parent,
    )
    stage.run(task, out, progress)
    return out


@pytest.fixture
def split(tmp_path):
    pieces.write_split(tmp_path / "split")
    return tmp_path / "split"


def to_openvino(inputs=pieces.INPUTS, weights="f32"):
    return convert.Options(source="onnx", result="openvino_ir", weights=weights, inputs=inputs)


def test_a_part_is_written_beside_its_artifact(split, tmp_path):
    out = run(convert, tmp_path / "out", to_openvino(), **{"from": split})
    artifact = read_part(out, WHOLE)
    assert artifact.format == "openvino_ir"
    assert artifact.signature == pieces.DENSE
    assert artifact.maker.startswith("openvino 20")
    assert {path.name for path in out.iterdir()} == {"artifact.json", "part"}
    assert (out / artifact.folder / "model.xml").exists()


def test_a_split_is_the_part_itself_until_it_is_converted(split):
    assert read_part(split, WHOLE).folder == "dense"


def test_halved_weights_take_half_of_the_room(split, tmp_path):
    sizes = {}
    for weights in ("f32", "f16"):
        out = run(convert, tmp_path / weights, to_openvino(weights=weights), **{"from": split})
        sizes[weights] = (out / "part" / "model.bin").stat().st_size
    assert sizes["f16"] < sizes["f32"]


def compare_integers(folder, ranges):
    """Write a split whose dense part compares `user` with itself."""
    value = helper.make_tensor_value_info("user", TensorProto.INT64, ["batch"])
    same = helper.make_tensor_value_info("same", TensorProto.BOOL, ["batch"])
    node = helper.make_node("Equal", ["user", "user"], ["same"])
    model = helper.make_model(helper.make_graph([node], "g", [value], [same]), ir_version=10)
    split = pieces.write_split(folder)
    onnx.save(model, folder / "dense" / "model.onnx")
    signature = Signature(
        inputs=(Tensor(name="user", dtype="int64", shape=("batch",)),),
        outputs=(Tensor(name="same", dtype="bool", shape=("batch",)),),
    )
    dense = split.dense.model_copy(update={"signature": signature, "ranges": ranges})
    changed = split.model_copy(update={"dense": dense})
    (folder / "split.json").write_text(changed.model_dump_json())


def test_rows_of_integers_of_more_than_32_bits_are_refused_as_inputs_are(tmp_path):
    compare_integers(tmp_path / "split", {"user": (0, 2**31)})
    with pytest.raises(ConversionError, match="input 'user' may hold 2147483648"):
        run(convert, tmp_path / "out", to_openvino(()), **{"from": tmp_path / "split"})
    compare_integers(tmp_path / "narrow", {"user": (-5, 2**31 - 1)})
    out = run(convert, tmp_path / "made", to_openvino(()), **{"from": tmp_path / "narrow"})
    assert read_part(out, WHOLE).ranges == {"user": (-5, 2**31 - 1)}


def test_ids_of_more_than_32_bits_are_refused_before_anything_is_written(tmp_path):
    users = Input(name="user", dtype="int64", shape=("batch",), ids=Ids(cardinality=2**40))
    compare_integers(tmp_path / "split", {})
    with pytest.raises(ConversionError, match="input 'user' may hold 1099511627775"):
        run(convert, tmp_path / "out", to_openvino((users,)), **{"from": tmp_path / "split"})
    assert not list((tmp_path / "out").iterdir())


def test_tables_are_cut_into_shards_of_the_size_that_the_job_says(split, tmp_path):
    seen = []
    options = tables.Options(shard_bytes=12 * pieces.DIM * 4)
    out = run(tables, tmp_path / "out", options, lambda *one: seen.append(one), split=split)
    written = tables.Tables.model_validate_json((out / "tables.json").read_bytes()).tables
    assert [[shard.rows for shard in table.shards] for table in written] == [[12, 8], [8]]
    items = [load_file(out / shard.file)["rows"] for shard in written[0].shards]
    np.testing.assert_array_equal(np.concatenate(items), pieces.ITEM_ROWS)
    total = (pieces.ITEMS + pieces.TAGS) * pieces.DIM * 4
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert seen[-1] == (total, total, "bytes")


def test_a_model_without_tables_has_an_empty_list_of_them(split, tmp_path):
    described = Split.model_validate_json((split / "split.json").read_bytes())
    none = described.model_copy(update={"tables": (), "lookups": (), "origins": ()})
    (split / "split.json").write_text(none.model_dump_json())
    out = run(tables, tmp_path / "out", tables.Options(shard_bytes=4096), split=split)
    assert tables.Tables.model_validate_json((out / "tables.json").read_bytes()).tables == ()
