"""What two versions differ in, on real graphs and tables."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from safetensors.numpy import load_file, save_file

from pipeline.commands.version_text import describe
from registry import Catalog
from registry.comparing.operators import count_operators
from registry.format import Format
from registry.manifest import Version
from registry.store import open_store
from tests import drafts
from tests.places import Place
from tests.versions import publish, weights, write_draft


def change(folder: Path, rows: list[int], extra_node: bool) -> None:
    """Change rows of the table, and add a node to the graph for ONNX Runtime."""
    table = weights(1)["table"]
    table[rows] += 1
    for number, part in enumerate((table[:30], table[30:])):
        file = folder / f"tables/items/{number:06d}.safetensors"
        save_file({"rows": np.ascontiguousarray(part)}, file)
    if extra_node:
        path = folder / "builds/onnxruntime/model.onnx"
        model = onnx.load(path)
        model.graph.node.append(helper.make_node("Relu", ["score"], ["unused"]))
        onnx.save(model, path)


def publish_changed(catalog: Catalog, tmp_path: Path, rows: list[int], **options) -> Version:
    folder = tmp_path / "changed"
    draft = write_draft(folder, 1, **options)
    change(folder, rows, extra_node=True)
    (folder / "job.yaml").write_text("schema: 1\nname: changed\n")
    return catalog.publish(draft, folder)


@pytest.mark.parametrize("place", ["folder", "s3 over http"], indirect=True)
def test_counts_changed_rows_operators_and_bytes(place: Place, tmp_path):
    catalog = Catalog(place.open())
    one = publish(catalog, tmp_path, 1, runtimes=("onnxruntime",))
    two = publish_changed(catalog, tmp_path, [3, 7, 29], runtimes=("onnxruntime",))
    found = catalog.diff(one, two)
    assert (found.before, found.after, found.same) == ("ranker@1", "ranker@2", False)
    (table,) = found.tables
    shard = "tables/items/000000.safetensors"
    [step] = two.recipes[shard].steps
    assert (table.table, table.before, table.after, table.changed) == ("items", 50, 50, 3)
    assert table.bytes == step.rows.size < two.files[shard].size
    (graph,) = found.graphs
    assert (graph.part, graph.same, graph.operators) == ("onnxruntime", False, {"Relu": (0, 1)})
    assert {file.name for file in found.files} == {
        "builds/onnxruntime/model.onnx",
        "job.yaml",
        "tables/items/000000.safetensors",
    }
    whole = sum(two.files[file.name].size for file in found.files if file.name != shard)
    assert found.moved == whole + table.bytes
    assert found.job[1:] == ("+schema: 1", "+name: changed")


def test_a_version_does_not_differ_from_itself(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    one = publish(catalog, tmp_path, 1, runtimes=("onnxruntime",))
    found = catalog.diff(one, one)
    assert found.same
    assert (found.moved, found.facts, found.files, found.tables) == (0, (), (), ())
    assert (found.parity, found.job, [graph.same for graph in found.graphs]) == ((), (), [True])


def test_another_format_and_another_answer_to_unknown_ids_are_told(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    one = publish(catalog, tmp_path, 1, runtimes=("onnxruntime",))
    draft = write_draft(tmp_path / "narrow", 1, runtimes=("onnxruntime",))
    for shard in draft.tables[0].shards:
        rows = load_file(tmp_path / "narrow" / shard.file)["rows"]
        save_file({"rows": rows.astype(np.float16)}, tmp_path / "narrow" / shard.file)
    told = {"rows_as": "f16", "unknown": "row", "default_row": 7}
    draft = draft.model_copy(update={"tables": (draft.tables[0].model_copy(update=told),)})
    two = catalog.publish(draft, tmp_path / "narrow")
    found = catalog.diff(one, two)
    facts = {fact.what: (fact.before, fact.after) for fact in found.facts}
    assert facts["unknown ids of items"] == (None, "row 7")
    assert facts["format of items"] == (None, "f16")
    assert [(table.table, table.changed) for table in found.tables] == [("items", None)]
    assert "float32, stored as f16, unknown ids: row 7" in describe(two)
    assert "stored as" not in describe(one)


def test_what_only_one_of_them_has_is_no_row_and_no_error(ads_catalog, registry_command, tmp_path):
    draft = drafts.write_draft(tmp_path / "draft")
    (lookup,), (table,), (build,) = draft.lookups, draft.tables, draft.builds
    score = draft.signature.outputs[0].model_copy(update={"name": "rank"})
    renamed = {
        "tables": (table.model_copy(update={"name": "things"}),),
        "lookups": (lookup.model_copy(update={"table": "things"}),),
        "signature": draft.signature.model_copy(update={"outputs": (score,)}),
        "builds": (build.model_copy(update={"target": "other"}),),
    }
    ads_catalog.publish(draft.model_copy(update=renamed), tmp_path / "draft")
    lines = registry_command("diff", "ads@2", "ads@3")[1].splitlines()
    assert "output score: float32[batch] -> none" in lines
    assert "threads of cpu: as the host has -> none" in lines
    assert "table items: 10 rows -> none" in lines
    assert "table things: none -> 10 rows, 0 B new" in lines
    assert "parity cpu conversion: 0.1 of what may be -> none" in lines
    assert "parity other conversion: none -> 0.1 of what may be" in lines
    found = json.loads(registry_command("diff", "ads@2", "ads@3", "--json")[1])
    assert [(table["before"], table["after"]) for table in found["tables"]] == [
        (10, None),
        (None, 10),
    ]


def test_speeds_are_laid_side_by_side_with_the_hosts_that_they_are_of(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    (tmp_path / "draft").mkdir()
    one = catalog.publish(drafts.write_draft(tmp_path / "draft"), tmp_path / "draft")
    assert catalog.diff(one, one).speeds == ()
    (build,) = one.builds
    timed = drafts.BENCHMARK.model_copy(update={"cpus": 4, "speeds": drafts.BENCHMARK.speeds[:1]})
    other = one.model_copy(update={"builds": (build.model_copy(update={"benchmark": timed}),)})
    found = catalog.diff(one, other)
    assert [(speed.batch, speed.p50) for speed in found.speeds] == [(8, (0.001, None))]
    assert [fact.what for fact in found.facts] == ["timed cpu on"]
    assert found.same


def test_the_operators_of_onnx_and_of_ir_are_those_that_their_frameworks_count(tmp_path):
    write_draft(tmp_path, 1)
    onnx_file = (tmp_path / "builds/onnxruntime/model.onnx").read_bytes()
    nodes = [node.op_type for node in onnx.load_from_string(onnx_file).graph.node]
    counted = count_operators(memoryview(onnx_file), Format.ONNX)
    assert counted == {name: nodes.count(name) for name in nodes}
    ir_file = (tmp_path / "builds/openvino/model.xml").read_bytes()
    assert count_operators(memoryview(ir_file), Format.OPENVINO_IR) == {
        "Reshape": 1,
        "Concat": 1,
        "MatMul": 1,
        "Add": 1,
    }


@pytest.mark.parametrize("cut", [1, 2, 10, 100])
def test_a_file_that_is_no_onnx_has_no_operators(tmp_path, cut):
    write_draft(tmp_path, 1, runtimes=("onnxruntime",))
    data = (tmp_path / "builds/onnxruntime/model.onnx").read_bytes()[:-cut]
    assert count_operators(memoryview(data), Format.ONNX) is None


def test_formats_that_do_not_show_operators_have_none():
    assert count_operators(memoryview(b"PK"), Format.TORCHSCRIPT) is None


def test_the_command_tells_people_and_machines(ads_catalog, registry_command):
    code, out, _ = registry_command("diff", "ads@1", "ads@2")
    assert code == 0
    assert out.splitlines() == [
        "ads@1 -> ads@2",
        "to fetch: 1 B",
        "graph cpu: the same file",
        "graph ids: the same file",
        "file builds/cpu/model.bin: 1 B -> 1 B",
    ]
    assert json.loads(registry_command("diff", "ads@1", "ads", "--json")[1])["moved"] == 1
