"""A tiny real version: a table in two shards, a lookup, and a dense part for two runtimes."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, checker, helper, numpy_helper
from safetensors.numpy import save_file

from registry.catalog import Catalog
from registry.composition import Artifact, Lookup, Shard, Table
from registry.format import Format
from registry.manifest import Build, BuiltPart, Contract, Draft, Lineage, Numbers, Parity, Version
from registry.signature import Axis, DType, Ids, Input, Signature, Tensor

ROWS, DIM, COLUMNS, FIELDS = 50, 4, 3, 2
VECTORS = "emb__items__0"
RUNTIMES = {
    "onnxruntime": (Format.ONNX, "1.0", "99"),
    "openvino": (Format.OPENVINO_IR, "2024.0", "2999"),
}

INPUTS = (
    Input(name="dense", dtype=DType.FLOAT32, shape=("batch", COLUMNS)),
    Input(name="ids", dtype=DType.INT64, shape=("batch", FIELDS), ids=Ids(cardinality=ROWS)),
)
SCORE = Tensor(name="score", dtype=DType.FLOAT32, shape=("batch", 1))
DENSE_PART = Signature(
    inputs=(
        Tensor(name="dense", dtype=DType.FLOAT32, shape=("batch", COLUMNS)),
        Tensor(name=VECTORS, dtype=DType.FLOAT32, shape=("batch", FIELDS, DIM)),
    ),
    outputs=(SCORE,),
)


def weights(seed: int) -> dict[str, np.ndarray]:
    """Return the model's parameters; models of two seeds answer differently."""
    random = np.random.default_rng(seed)
    return {
        "table": random.normal(size=(ROWS, DIM)).astype(np.float32),
        "weight": random.normal(size=(COLUMNS + FIELDS * DIM, 1)).astype(np.float32),
        "bias": np.array([10 * seed], np.float32),
    }


def some_requests(rows: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return inputs that every such model takes."""
    random = np.random.default_rng(seed)
    return {
        "dense": random.normal(size=(rows, COLUMNS)).astype(np.float32),
        "ids": random.integers(0, ROWS, (rows, FIELDS)),
    }


def right_answer(seed: int, inputs: dict[str, np.ndarray]) -> np.ndarray:
    """Answer with numpy alone."""
    model = weights(seed)
    vectors = model["table"][inputs["ids"]].reshape(len(inputs["ids"]), -1)
    return np.concatenate([inputs["dense"], vectors], 1) @ model["weight"] + model["bias"]


def write_draft(
    folder: Path,
    seed: int,
    *,
    model: str = "ranker",
    runtimes: tuple[str, ...] = ("onnxruntime", "openvino"),
    isa: tuple[str, ...] = (),
    recorded_shift: float = 0.0,
) -> Draft:
    """Write a version's folder and say what is in it.

    Args:
        isa: CPU flags that every build demands.
        recorded_shift: Added to the recorded answers, to make them wrong.
    """
    _write_dense(folder / "builds", seed, runtimes)
    inputs = some_requests(16, seed=99)
    answers = right_answer(seed, inputs) + np.float32(recorded_shift)
    recorded = {f"input/{name}": array for name, array in inputs.items()}
    save_file(recorded | {"output/score": answers}, folder / "recorded.safetensors")
    return Draft(
        model=model,
        signature=Signature(inputs=_plain(INPUTS), outputs=(SCORE,)),
        inputs=INPUTS,
        axes={"batch": Axis(min=1, max=64)},
        ids=None,
        tables=(_write_table(folder, weights(seed)["table"]),),
        lookups=(
            Lookup(output=VECTORS, table="items", kind="embedding", ids="ids", dtype=DType.FLOAT32),
        ),
        builds=tuple(_build(runtime, isa) for runtime in runtimes),
        recorded="recorded.safetensors",
        report=None,
        lineage=Lineage(
            job="job.yaml", source=f"seed {seed}", source_digest=f"{seed:064x}", tools={}
        ),
    )


def publish(catalog: Catalog, folder: Path, seed: int, **options) -> Version:
    """Write a draft into a folder of its own and publish it."""
    place = folder / f"draft-{options.get('model', 'ranker')}-{seed}"
    place.mkdir(parents=True)
    return catalog.publish(write_draft(place, seed, **options), place)


def _plain(inputs: tuple[Input, ...]) -> tuple[Tensor, ...]:
    return tuple(Tensor(name=each.name, dtype=each.dtype, shape=each.shape) for each in inputs)


def _write_table(folder: Path, rows: np.ndarray) -> Table:
    shards = (
        Shard(file="tables/items/000000.safetensors", start=0, rows=30),
        Shard(file="tables/items/000001.safetensors", start=30, rows=ROWS - 30),
    )
    (folder / "tables" / "items").mkdir(parents=True)
    for shard in shards:
        part = rows[shard.start : shard.start + shard.rows]
        save_file({"rows": np.ascontiguousarray(part)}, folder / shard.file)
    return Table(
        name="items", rows=ROWS, dim=DIM, dtype=DType.FLOAT32, keys=("items.weight",), shards=shards
    )


def _write_dense(builds: Path, seed: int, runtimes: tuple[str, ...]) -> None:
    program = _dense_program(seed)
    for runtime in runtimes:
        (builds / runtime).mkdir(parents=True)
    if "onnxruntime" in runtimes:
        onnx.save(program, builds / "onnxruntime" / "model.onnx")
    if "openvino" in runtimes:
        import openvino  # noqa: PLC0415  slow to import, and not for every test

        onnx.save(program, builds / "openvino" / "model.onnx")
        converted = openvino.convert_model(builds / "openvino" / "model.onnx")
        openvino.save_model(converted, builds / "openvino" / "model.xml", compress_to_fp16=False)
        (builds / "openvino" / "model.onnx").unlink()


def _dense_program(seed: int):
    model = weights(seed)
    constants = [numpy_helper.from_array(model[name], name) for name in ("weight", "bias")]
    constants.append(numpy_helper.from_array(np.array([0, FIELDS * DIM]), "flat"))
    nodes = [
        helper.make_node("Reshape", [VECTORS, "flat"], ["vectors"]),
        helper.make_node("Concat", ["dense", "vectors"], ["all"], axis=1),
        helper.make_node("MatMul", ["all", "weight"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["score"]),
    ]
    inputs, outputs = (
        [helper.make_tensor_value_info(each.name, TensorProto.FLOAT, each.shape) for each in side]
        for side in (DENSE_PART.inputs, DENSE_PART.outputs)
    )
    graph = helper.make_graph(nodes, "dense", inputs, outputs, constants)
    program = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    checker.check_model(program)
    return program


def _build(runtime: str, isa: tuple[str, ...]) -> Build:
    form, at_least, below = RUNTIMES[runtime]
    numbers = Numbers(
        output="score",
        compared=16,
        max_abs=0.0,
        max_scaled=0.0,
        worst=0.0,
        where="recorded [0, 0]",
        atol=1e-4,
        rtol=1e-4,
        because="the order of additions differs",
        passed=True,
        histogram={-99: 16},
    )
    parity = Parity(kind="conversion", in_force={}, outputs=(numbers,), cases=1, passed=True)
    part = BuiltPart(
        target=runtime,
        runtime=runtime,
        precision="f32",
        artifact=Artifact(
            part="dense",
            format=form,
            folder=f"builds/{runtime}",
            signature=DENSE_PART,
            maker="tests",
        ),
        contract=Contract(
            isa=isa, runtime=runtime, at_least=at_least, below=below, precision="f32", threads=1
        ),
    )
    return Build(target=runtime, parts=(part,), parity=(parity,))
