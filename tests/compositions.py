"""A small version that answers: an ids program, tables in shards and a dense part."""

from pathlib import Path

import numpy as np
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node
from safetensors.numpy import save_file

from registry.composition import Artifact, Lookup, Shard, Table
from registry.format import Format
from registry.manifest import Build, BuiltPart, Contract, Draft, Lineage
from registry.signature import Axis, DType, Ids, Input, Signature, Tensor
from tests.tiny_onnx import model, tensor, values, write

ROWS, DIM = 100, 4
VECTORS = ("emb__items__0", "emb__past__0")
BATCH = Axis(min=1, max=64)


def write_table(folder: Path, name: str, rows: np.ndarray, shard_rows: int) -> Table:
    """Write a table as shards."""
    shards = []
    (folder / "tables" / name).mkdir(parents=True)
    for start in range(0, len(rows), shard_rows):
        part = np.ascontiguousarray(rows[start : start + shard_rows])
        file = f"tables/{name}/{len(shards):06}.safetensors"
        save_file({"rows": part}, folder / file)
        shards.append(Shard(file=file, start=start, rows=len(part)))
    return Table(
        name=name,
        rows=len(rows),
        dim=rows.shape[1],
        dtype=DType.FLOAT32,
        keys=(f"{name}.weight",),
        shards=tuple(shards),
    )


def artifact(part: str, folder: str, signature: Signature) -> Artifact:
    """Describe an ONNX part."""
    return Artifact(
        part=part, format=Format.ONNX, folder=folder, signature=signature, maker="tests"
    )


def build(dense: Artifact, target: str = "ort") -> Build:
    """Describe a build for ONNX Runtime that any host can run."""
    contract = Contract(
        isa=(), runtime="onnxruntime", at_least="1.23", below="2", precision="f32", threads=1
    )
    part = BuiltPart(
        target=target, runtime="onnxruntime", precision="f32", artifact=dense, contract=contract
    )
    return Build(target=target, parts=(part,), parity=())


INPUTS = (
    Input(name="item", dtype=DType.INT64, shape=("batch",), ids=Ids(cardinality=ROWS)),
    Input(name="history", dtype=DType.INT64, shape=("batch", "length"), ids=Ids(cardinality=ROWS)),
    Input(name="price", dtype=DType.FLOAT32, shape=("batch", 3)),
    Input(name="hour", dtype=DType.INT64, shape=("batch",), range=(0, 23)),
)
SIGNATURE = Signature(
    inputs=tuple(Tensor(name=entry.name, dtype=entry.dtype, shape=entry.shape) for entry in INPUTS),
    outputs=(Tensor(name="score", dtype=DType.FLOAT32, shape=("batch", 2)),),
)


def write_composition(folder: Path) -> tuple[Draft, dict[str, np.ndarray]]:
    """Write a version whose item ids are computed (id % rows), and return its tables' rows.

    score = [item vector, mean of the history, price, hour] · w
    """
    rng = np.random.default_rng(3)
    rows = {name: rng.standard_normal((ROWS, DIM)).astype(np.float32) for name in ("items", "past")}
    weight = values("w", 2 * DIM + 4, 2)
    count = numpy_helper.from_array(np.array(ROWS, np.int64), "rows")
    write(
        model(
            [make_node("Mod", ["item", "rows"], ["item_ids"], name="mod")],
            [tensor("item", TensorProto.INT64, "batch")],
            [tensor("item_ids", TensorProto.INT64, "batch")],
            [count],
        ),
        folder / "ids",
    )
    write(
        model(
            [
                make_node("Cast", ["hour"], ["h"], name="cast", to=TensorProto.FLOAT),
                make_node("Unsqueeze", ["h", "one"], ["h1"], name="unsqueeze"),
                make_node(
                    "Concat", ["emb__items__0", "emb__past__0", "price", "h1"], ["x"], axis=1
                ),
                make_node("MatMul", ["x", "w"], ["score"], name="score"),
            ],
            [
                *(tensor(name, TensorProto.FLOAT, "batch", DIM) for name in VECTORS),
                tensor("price", TensorProto.FLOAT, "batch", 3),
                tensor("hour", TensorProto.INT64, "batch"),
            ],
            [tensor("score", TensorProto.FLOAT, "batch", 2)],
            [weight, numpy_helper.from_array(np.array([1], np.int64), "one")],
        ),
        folder / "builds/ort",
    )
    draft = Draft(
        model="tiny",
        signature=SIGNATURE,
        inputs=INPUTS,
        axes={"batch": BATCH, "length": Axis(min=0, max=50)},
        ids=artifact("ids", "ids", IDS),
        tables=(
            write_table(folder, "items", rows["items"], 30),
            write_table(folder, "past", rows["past"], ROWS),
        ),
        lookups=LOOKUPS,
        builds=(build(artifact("dense", "builds/ort", DENSE)),),
        recorded=None,
        report=None,
        lineage=Lineage(job="", source="", source_digest="", tools={}),
    )
    return draft, {**rows, "w": numpy_helper.to_array(weight)}


IDS = Signature(
    inputs=(Tensor(name="item", dtype=DType.INT64, shape=("batch",)),),
    outputs=(Tensor(name="item_ids", dtype=DType.INT64, shape=("batch",)),),
)
DENSE = Signature(
    inputs=(
        *(Tensor(name=name, dtype=DType.FLOAT32, shape=("batch", DIM)) for name in VECTORS),
        Tensor(name="price", dtype=DType.FLOAT32, shape=("batch", 3)),
        Tensor(name="hour", dtype=DType.INT64, shape=("batch",)),
    ),
    outputs=SIGNATURE.outputs,
)
LOOKUPS = (
    Lookup(
        output="emb__items__0",
        table="items",
        kind="embedding",
        ids="item_ids",
        dtype=DType.FLOAT32,
    ),
    Lookup(
        output="emb__past__0",
        table="past",
        kind="bag",
        mode="mean",
        ids="history",
        padding=0,
        dtype=DType.FLOAT32,
    ),
)


def expected(inputs: dict[str, np.ndarray], rows: dict[str, np.ndarray]) -> np.ndarray:
    """Work out the scores in plain numpy, in float64."""
    kept = (inputs["history"] != 0)[..., None]
    total = (rows["past"][inputs["history"]].astype(np.float64) * kept).sum(1)
    mean = total / np.maximum(kept.sum(1), 1)
    parts = [rows["items"][inputs["item"] % ROWS], mean, inputs["price"], inputs["hour"][:, None]]
    return np.concatenate(parts, axis=1) @ rows["w"].astype(np.float64)


def some_inputs(batch: int, length: int = 6, seed: int = 0) -> dict[str, np.ndarray]:
    """Draw inputs that the composition takes; one in four of the history is padding."""
    rng = np.random.default_rng(seed)
    history = rng.integers(1, ROWS, (batch, length))
    history[rng.random((batch, length)) < 0.25] = 0
    return {
        "item": rng.integers(0, 2**40, batch),
        "history": history,
        "price": rng.standard_normal((batch, 3)).astype(np.float32),
        "hour": rng.integers(0, 24, batch),
    }
