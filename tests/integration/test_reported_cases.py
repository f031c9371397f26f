"""Faults that people reported of tools like this one, each with its trigger as it was given.

What another test proves already is in PROVEN. Not touched: the graphs of TensorFlow with
lookups of strings (no such source yet), quantisation (none yet), and KeyedJaggedTensor (a job's
inputs are its values and offsets, as in the bags below).
"""

import ast
import json
import struct
from pathlib import Path

import numpy as np
import onnx
import psutil
import pytest
import torch
from onnx import TensorProto
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info

from pipeline.stages.verdict import Validation
from registry.catalog import Catalog
from registry.errors import ConversionError, ParityError
from registry.manifest import Version
from registry.store import open_store
from tests.bad_onnx import write
from tests.bench import ROOT, Bench
from tests.reported_models import Bags
from tests.servers import as_json, running
from tests.versions import publish, some_requests

TESTS = ROOT / "tests"

#: Reported fault → the tests that prove the right behaviour.
PROVEN: dict[str, tuple[str, ...]] = {
    "empty bags are always asked about": (
        "unit/targets/parity/test_hostile.py::test_bags_are_empty_where_the_name_says",
        "unit/targets/embedding/test_lookups.py::test_offsets_cut_one_axis_of_ids_into_bags",
    ),
    "ids around 2^31 are always asked about": (
        (
            "unit/targets/parity/test_hostile.py"
            "::test_ids_out_of_range_are_at_the_ends_of_32_bits_where_the_dtype_holds_them"
        ),
        "unit/targets/embedding/test_ids.py::test_ids_are_exact_far_beyond_32_bits",
        "unit/targets/test_openvino.py::test_integers_beyond_32_bits_are_refused_not_cut",
        "unit/converters/onnx_models/test_integers.py::test_an_input_that_may_not_fit_is_named_with_the_remedy",
    ),
    "shape inference returns an empty graph": (
        (
            "unit/converters/sources/test_onnx_file.py"
            "::test_shapes_are_inferred_without_losing_a_node_though_weights_are_beyond_protobuf"
        ),
    ),
    "small shape constants stored outside break a newer runtime": (
        (
            "unit/converters/test_torch_to_onnx.py"
            "::test_big_weights_lie_beside_the_file_and_small_ones_inside"
        ),
    ),
    "same IR, different CPU, different answer": (
        "unit/targets/test_openvino.py::test_the_precision_that_was_asked_for_is_in_force_or_refused",
        "integration/test_flow.py::test_computing_in_bf16_shows_in_precision_alone_and_is_refused_by_a_cpu_without",
    ),
    "saving halves the weights by default": (
        (
            "unit/converters/test_onnx_to_openvino.py"
            "::test_weights_are_halved_only_when_that_is_asked_for"
        ),
        "unit/converters/test_onnx_to_openvino.py::test_weights_that_f16_cannot_hold_are_listed",
        "integration/test_flow.py::test_halved_weights_show_in_precision_alone",
    ),
    "NaN on either side fails, with its place": (
        (
            "unit/targets/parity/test_tally.py"
            "::test_nan_fails_on_either_side_and_infinity_unless_both_have_it"
        ),
        "unit/targets/parity/test_tally.py::test_names_the_case_and_the_place_of_the_worst_element",
    ),
    "memory grows with each new shape": (
        "unit/targets/test_openvino.py::test_memory_does_not_grow_with_the_number_of_shapes",
    ),
    "threads follow the host in place of the quota": (
        "unit/targets/host/test_cpu.py::test_the_tightest_quota_of_all_ancestors_counts",
        "unit/targets/host/test_cpu.py::test_both_kinds_of_cgroups_count_side_by_side",
        "unit/targets/host/test_cpu.py::test_threads_follow_the_cores_and_never_pass_the_cpus",
        "unit/targets/test_predictor.py::test_threads_are_no_more_than_the_host_has",
    ),
    "uploads over https are altered or fail": (
        "conformance/test_stores.py::test_gives_back_a_blob_of_any_size",
        "unit/registry/store/test_s3_probe.py::",
    ),
}


@pytest.mark.parametrize("fault", PROVEN)
def test_what_is_said_to_be_proven_has_its_tests(fault):
    for named in PROVEN[fault]:
        file, _, name = named.partition("::")
        tree = ast.parse((TESTS / file).read_text())
        found = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name in found or (not name and any(each.startswith("test_") for each in found))


BOTH = [{"name": "ov", "runtime": "openvino"}, {"name": "ort", "runtime": "onnxruntime"}]


def published(bench: Bench, number: int = 1) -> Version:
    return Catalog(open_store(str(bench.store))).version("ranker", number)


def asked(bench: Bench, target: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Ask the published version."""
    np.savez(bench.folder / "asked.npz", **inputs)
    where = ("--store", "store", "--target", target, "--out", "answers.npz")
    said = bench.call("predict", "ranker", "--input", "asked.npz", *where)
    assert said.code == 0, said.err
    return dict(np.load(bench.folder / "answers.npz"))


def ids(name: str, *shape: str | int, rows: int, **more: object) -> dict[str, object]:
    given = {"name": name, "dtype": "int64", "shape": list(shape)}
    return given | {"ids": {"cardinality": rows} | more}


BAGS = {
    "source": {"kind": "torch", "factory": "reported_models:Bags", "path": str(TESTS)},
    "axes": {
        "total": {"min": 0, "max": 512},
        "bags": {"max": 64},
        "padded_total": {"min": 0, "max": 512},
        "padded_bags": {"max": 64},
        "batch": {"max": 64},
    },
    "inputs": [
        ids("ids", "total", rows=10),
        {"name": "offsets", "dtype": "int64", "shape": ["bags"], "offsets": "ids"},
        ids("padded_ids", "padded_total", rows=10, padding=0),
        {"name": "padded_offsets", "dtype": "int64", "shape": ["padded_bags"]}
        | {"offsets": "padded_ids"},
        ids("fixed_ids", "batch", 5, rows=500),
    ],
    "outputs": ["plain", "padded", "fixed"],
}

TRIGGERS = {
    "ids": np.arange(10),
    "offsets": np.array([0, 2, 4, 4, 6]),
    "padded_ids": np.array([1, 2, 4, 5, 0, 3, 2, 9]),
    "padded_offsets": np.array([0, 4]),
    "fixed_ids": np.random.default_rng(3).integers(0, 500, (10, 5)),
}

#: Offsets with empty bags in the first, a middle and the last place.
EMPTY = {"first": [0, 0, 4, 6], "middle": [0, 2, 2, 6], "last": [0, 3, 6, 10], "all": [10, 10]}


def of_torch(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    with torch.inference_mode():
        return [t.numpy() for t in Bags()(*map(torch.from_numpy, inputs.values()))]


@pytest.fixture(scope="module")
def bags(tmp_path_factory) -> Bench:
    """Publish the bags, their tables cut out, for both runtimes."""
    made = Bench(tmp_path_factory.mktemp("bags"))
    made.write(split={"tables": ["*"]}, targets=BOTH, **BAGS)
    said = made.call("run", "job.yaml")
    assert said.code == 0, said.err
    return made


@pytest.mark.parametrize("target", ["ov", "ort"])
def test_bags_answer_like_torch_though_some_are_empty(bags, target):
    answers = asked(bags, target, **TRIGGERS)
    for name, right in zip(BAGS["outputs"], of_torch(TRIGGERS), strict=True):
        np.testing.assert_allclose(answers[name], right, 1e-5, 1e-6)
    assert not answers["plain"][2].any(), "the empty bag is zeros"


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_an_empty_bag_is_zeros_wherever_it_is(bags, place):
    inputs = TRIGGERS | {"offsets": np.array(EMPTY[place])}
    answers = asked(bags, "ov", **inputs)
    np.testing.assert_allclose(answers["plain"], of_torch(inputs)[0], 1e-5, 1e-6)
    empty = {"first": 0, "middle": 1, "last": 3}[place]
    assert not answers["plain"][empty].any()


def test_the_manifest_says_which_exporter_wrote_the_file(bags):
    makers = {build.target: build.parts[0].artifact.maker for build in published(bags).builds}
    assert makers["ort"].startswith("torch.onnx (dynamo)")
    assert makers["ov"].startswith("openvino")


def test_no_operator_is_left_that_is_not_onnx(bags):
    for file in bags.home.glob("cache/*/*/output/**/*.onnx"):
        model = onnx.load(file)
        assert {node.domain for node in model.graph.node} <= {"", "ai.onnx"}
        assert not any("Aten" in node.op_type for node in model.graph.node)


def test_bags_that_stay_in_the_dense_part_answer_like_torch_or_are_not_published(bags):
    """The whole bag goes through the exporter; an empty one must not slip through."""
    other = Bench(bags.folder.parent / "kept", {"PIPELINE_HOME": str(bags.home)})
    other.folder.mkdir()
    other.write(split={"tables": "none"}, **BAGS)
    said = other.call("run", "job.yaml")
    if said.code:
        other.failed_well(said, ParityError, ("plain",), {})
        return
    answers = asked(other, "ort", **TRIGGERS)
    for name, right in zip(BAGS["outputs"], of_torch(TRIGGERS), strict=True):
        np.testing.assert_allclose(answers[name], right, 1e-5, 1e-6)


WIDE = {
    "CumSum": ([make_node("CumSum", ["n", "axis"], ["m"])], {"axis": np.array(1)}),
    "Mul": ([make_node("Mul", ["n", "big"], ["m"])], {"big": np.array([1 << 20])}),
    "Clip": (
        [make_node("Clip", ["n", "low", "high"], ["m"])],
        {"low": np.array(0), "high": np.array(1 << 36)},
    ),
}


def integers(folder: Path, operator: str, high: int) -> dict[str, object]:
    """Write a model that computes with int64 by value, and answers with floats."""
    nodes, weights = WIDE[operator]
    last = make_node("Cast", ["m"], ["y"], to=TensorProto.FLOAT)
    graph = make_graph(
        [*nodes, last],
        "graph",
        [make_tensor_value_info("n", TensorProto.INT64, ["batch", 3])],
        [make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])],
        [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = make_model(graph, opset_imports=[make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    given = {"name": "n", "dtype": "int64", "shape": ["batch", 3], "range": [0, high]}
    return {"source": {"kind": "onnx", "file": "model.onnx"}, "inputs": [given]}


@pytest.mark.parametrize("operator", ["CumSum", "Clip"])
def test_integers_beyond_32_bits_never_reach_openvino(tmp_path, operator):
    bench = Bench(tmp_path)
    job = integers(tmp_path, operator, 2**35)
    words = ("OpenVINO computes with 32 bits", "'n' may hold 34359738368", "onnxruntime")
    bench.refuses_job(ConversionError, *words, targets=BOTH[:1], **job)
    bench.write(**job)
    assert bench.call("run", "job.yaml").code == 0
    given = np.array([[2**33, 2**34, 2**35]])
    right = given.cumsum(1) if operator == "CumSum" else given
    np.testing.assert_allclose(asked(bench, "ort", n=given)["y"], right.astype("f4"))


def test_integers_that_grow_beyond_32_bits_inside_are_never_published_for_openvino(tmp_path):
    bench = Bench(tmp_path)
    bench.write(targets=BOTH[:1], **integers(tmp_path, "Mul", 2**30))
    said = bench.call("run", "job.yaml")
    kind = ConversionError if said.code == ConversionError.exit_code else ParityError
    bench.failed_well(said, kind, (), {})


def test_a_table_of_more_than_2_gib_never_passes_through_protobuf(tmp_path):
    bench = Bench(tmp_path)
    rows, width = 9_000_000, 64
    tensors = {"items.weight": [rows, width], "score.bias": [1], "score.weight": [1, width]}
    header, end = {}, 0
    for name, shape in tensors.items():
        start, end = end, end + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with (tmp_path / "weights.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)  # a hole: nothing of it is on the disk
    source = BAGS["source"] | {"factory": "reported_models:OneBigTable"}
    bench.write(
        source=source | {"weights": "weights.safetensors"}, inputs=[ids("ids", "batch", rows=rows)]
    )
    said = bench.call("run", "job.yaml", "--until", "convert", "--json")
    assert said.code == 0, said.err
    files = [path for path in bench.home.rglob("*") if path.is_file()]
    assert any(path.suffix == ".onnx" for path in files)
    assert sum(path.stat().st_size for path in files) < 1 << 20
    (record,) = bench.home.glob("runs/*/*/run.json")
    for stage in json.loads(record.read_text())["stages"]:
        assert (stage["usage"] or {"peak": 0})["peak"] < 900 << 20


def test_a_model_with_even_its_shape_constants_outside_is_taken(tmp_path):
    """All tensors are external, from a size of 0 on: of microsoft/onnxruntime#26261."""
    bench = Bench(tmp_path)
    nodes = [
        make_node("Split", ["x", "sizes"], ["left", "right"], axis=1),
        make_node("MatMul", ["left", "weight"], ["product"]),
        make_node("Concat", ["product", "right"], ["both"], axis=1),
        make_node("Reshape", ["both", "shape"], ["y"]),
    ]
    weights = {
        "sizes": np.array([1, 3]),
        "weight": np.ones((1, 2), "f4"),
        "shape": np.array([-1, 5]),
    }
    job = write(tmp_path, nodes, weights)
    model = onnx.load(tmp_path / "model.onnx")
    onnx.save(model, tmp_path / "model.onnx", save_as_external_data=True, size_threshold=0)
    outside = onnx.load(tmp_path / "model.onnx", load_external_data=False).graph.initializer
    assert all(tensor.data_location == TensorProto.EXTERNAL for tensor in outside)
    bench.write(targets=BOTH, **job)
    said = bench.call("run", "job.yaml")
    assert said.code == 0, said.err


@pytest.fixture(scope="module")
def sparse(tmp_path_factory) -> Bench:
    """Publish a model whose answers are mostly exact zeros."""
    made = Bench(tmp_path_factory.mktemp("sparse"))
    nodes = [make_node("Sub", ["x", "most"], ["less"]), make_node("Relu", ["less"], ["y"])]
    made.write(targets=BOTH, **write(made.folder, nodes, {"most": np.array([0.99], "f4")}))
    said = made.call("run", "job.yaml")
    assert said.code == 0, said.err
    return made


def test_the_relative_error_of_zero_is_a_number(sparse):
    for build in published(sparse).builds:
        for parity in build.parity:
            (numbers,) = parity.outputs
            figures = (numbers.max_abs, numbers.max_scaled, numbers.worst)
            assert all(np.isfinite(figures))
            assert numbers.passed


def test_the_precision_in_force_is_recorded_for_both_numbers(sparse):
    for build in published(sparse).builds:
        assert [parity.kind for parity in build.parity] == ["conversion", "precision"]
        for parity in build.parity:
            assert "f32" in parity.in_force["precision"]
    for file in sparse.home.glob("cache/validate/*/output/parity.json"):
        assert Validation.model_validate_json(file.read_bytes()).passed


@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
def test_a_server_does_not_grow_with_the_number_of_shapes(tmp_path, runtime):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    publish(catalog, tmp_path, 1, runtimes=(runtime,))
    catalog.move("ranker", "production", 1, who="test", why="to be served")
    with running(tmp_path / "store", tmp_path / "cache") as server:
        process = psutil.Process(server.process.pid)

        def ask_every_batch() -> int:
            for rows in np.random.default_rng(0).permutation(np.arange(1, 65)):
                body = as_json(some_requests(int(rows)))
                assert server.request("POST", "/v2/models/ranker/infer", body)[0] == 200
            return process.memory_info().rss

        ask_every_batch()
        before = ask_every_batch()
        for _ in range(6):
            after = ask_every_batch()
        assert after - before < 8 << 20
