"""A tiny recommender in pieces, as the stages leave it: written by hand, answered by numpy.

score = sigmoid([items[item], sum of tags in the bag, numbers] @ WEIGHTS + BIAS)
"""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

from pipeline.stages.tables import Tables
from registry.composition import Artifact, Lookup, Origin, Shard, Split, Table
from registry.format import Format
from registry.signature import Axis, Ids, Input, Signature, Tensor
from targets.parity.cases import Case, write_cases

ITEMS, TAGS, DIM, NUMBERS = 20, 8, 4, 3

INPUTS = (
    Input(name="item", dtype="int64", shape=("batch",), ids=Ids(cardinality=ITEMS)),
    Input(name="tags", dtype="int64", shape=("total",), ids=Ids(cardinality=TAGS)),
    Input(name="starts", dtype="int64", shape=("batch",), offsets="tags"),
    Input(name="numbers", dtype="float32", shape=("batch", NUMBERS), range=(-1, 1)),
)
AXES = {"batch": Axis(max=512), "total": Axis(min=0, max=4096)}

_RANDOM = np.random.default_rng(7)
ITEM_ROWS = _RANDOM.standard_normal((ITEMS, DIM)).astype("f4")
TAG_ROWS = _RANDOM.standard_normal((TAGS, DIM)).astype("f4")
WEIGHTS = _RANDOM.standard_normal((2 * DIM + NUMBERS, 1)).astype("f4")
BIAS = np.array([0.25], "f4")


class RefusedError(Exception):
    """An id is out of range."""


class Numbers(NamedTuple):
    """The model's numbers, to be spoilt one at a time."""

    items: np.ndarray = ITEM_ROWS
    tags: np.ndarray = TAG_ROWS
    weights: np.ndarray = WEIGHTS
    bias: np.ndarray = BIAS


TRUE = Numbers()


def answer(inputs, numbers: Numbers = TRUE) -> dict[str, np.ndarray]:
    """Answer as the unsplit model does, in float64."""
    for name, rows in (("item", ITEMS), ("tags", TAGS)):
        ids = inputs[name]
        if ids.size and (ids.min() < 0 or ids.max() >= rows):
            raise RefusedError(f"{name}: an id is out of range")
    ends = [*inputs["starts"].tolist(), len(inputs["tags"])]
    rows = numbers.tags[inputs["tags"]].astype("f8")
    bags = [rows[start:end].sum(axis=0) for start, end in pairwise(ends)]
    dense = np.concatenate([numbers.items[inputs["item"]], bags, inputs["numbers"]], axis=1)
    logits = dense @ numbers.weights.astype("f8") + numbers.bias
    return {"score": (1 / (1 + np.exp(-logits[:, 0]))).astype("f4")}


def inputs_of(rows: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Draw inputs; every third bag is empty."""
    random = np.random.default_rng(seed)
    sizes = np.arange(rows) % 3
    return {
        "item": random.integers(0, ITEMS, rows),
        "tags": random.integers(0, TAGS, int(sizes.sum())),
        "starts": np.cumsum(sizes) - sizes,
        "numbers": random.uniform(-1, 1, (rows, NUMBERS)).astype("f4"),
    }


def _tensor(name: str, *shape: str | int) -> Tensor:
    return Tensor(name=name, dtype="float32", shape=shape)


DENSE = Signature(
    inputs=(
        _tensor("emb__items__0", "batch", DIM),
        _tensor("emb__tags__0", "batch", DIM),
        _tensor("numbers", "batch", NUMBERS),
    ),
    outputs=(_tensor("score", "batch"),),
)


def write_split(folder: Path, numbers: Numbers = TRUE) -> Split:
    """Write what a split task leaves."""
    write_dense(folder / "dense", numbers)
    (folder / "origins").mkdir()
    for name, rows in (("items", numbers.items), ("tags", numbers.tags)):
        save_file({"rows": rows}, folder / "origins" / f"{name}.safetensors")
    split = Split(
        signature=Signature(
            inputs=tuple(Tensor(name=one.name, dtype=one.dtype, shape=one.shape) for one in INPUTS),
            outputs=DENSE.outputs,
        ),
        ids=None,
        dense=Artifact(
            part="dense", format=Format.ONNX, folder="dense", signature=DENSE, maker="by hand"
        ),
        tables=tuple(_table(name, rows) for name, rows in (("items", ITEMS), ("tags", TAGS))),
        lookups=(
            Lookup(
                output="emb__items__0", table="items", kind="embedding", ids="item", dtype="float32"
            ),
            Lookup(
                output="emb__tags__0",
                table="tags",
                kind="bag",
                mode="sum",
                ids="tags",
                offsets="starts",
                dtype="float32",
            ),
        ),
        kept=(),
        origins=tuple(
            Origin(table=name, file=f"origins/{name}.safetensors", key="rows")
            for name in ("items", "tags")
        ),
        nodes_before={},
        nodes_after={},
    )
    (folder / "split.json").write_text(split.model_dump_json())
    return split


def _table(name: str, rows: int) -> Table:
    return Table(name=name, rows=rows, dim=DIM, dtype="float32", keys=(f"{name}.weight",))


def write_dense(folder: Path, numbers: Numbers = TRUE) -> None:
    """Write the dense part as ONNX."""
    folder.mkdir(parents=True)
    nodes = [
        helper.make_node("Concat", [one.name for one in DENSE.inputs], ["joined"], axis=1),
        helper.make_node("Gemm", ["joined", "weights", "bias"], ["logits"]),
        helper.make_node("Sigmoid", ["logits"], ["scores"]),
        helper.make_node("Squeeze", ["scores", "last"], ["score"]),
    ]
    constants = {"weights": numbers.weights, "bias": numbers.bias, "last": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "dense",
        [_value(one) for one in DENSE.inputs],
        [_value(one) for one in DENSE.outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, folder / "model.onnx")


def _value(tensor: Tensor) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(tensor.name, TensorProto.FLOAT, list(tensor.shape))


def write_tables(folder: Path, numbers: Numbers = TRUE) -> None:
    """Write what a tables task leaves: the items in two shards."""
    tables = []
    for name, rows, cut in (("items", numbers.items, 12), ("tags", numbers.tags, TAGS)):
        place = folder / "tables" / name
        place.mkdir(parents=True)
        shards = []
        for number, start in enumerate(range(0, len(rows), cut)):
            piece = rows[start : start + cut]
            file = f"tables/{name}/{number:06}.safetensors"
            save_file({"rows": piece}, folder / file)
            shards.append(Shard(file=file, start=start, rows=len(piece)))
        tables.append(_table(name, len(rows)).model_copy(update={"shards": tuple(shards)}))
    (folder / "tables.json").write_text(Tables(tables=tuple(tables)).model_dump_json())


def answered_cases(cases: list[Case], numbers: Numbers = TRUE) -> list[Case]:
    """Answer cases, or refuse them, as the original does."""
    done = []
    for case in cases:
        try:
            done.append(replace(case, outputs=answer(case.inputs, numbers)))
        except RefusedError as error:
            done.append(replace(case, refused=str(error)))
    return done


def write_reference(folder: Path, cases: list[Case] | None = None, labels: int = 0) -> None:
    """Write what a reference task leaves: recorded samples, and an id that is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    if cases is None:
        wrong = inputs_of(3, seed=2)
        wrong["item"][-1] = ITEMS
        cases = [
            Case("samples 0 to 29", "recorded", inputs_of(30)),
            Case("batch of 3", "generated", inputs_of(3, seed=1)),
            Case("ids: one of item is its cardinality", "generated", wrong),
        ]
    done = answered_cases(cases)
    write_cases(done, folder)
    if labels:
        scores = np.concatenate([case.outputs["score"] for case in done if case.kind == "recorded"])
        save_file({"labels": (scores > 0.5).astype("i8")}, folder / "labels.safetensors")
