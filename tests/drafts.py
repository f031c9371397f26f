"""Drafts of versions that are small and hold no model: for what does not look into files."""

from pathlib import Path

from registry.composition import Artifact, Lookup, Shard, Table
from registry.format import Format
from registry.manifest import (
    Benchmark,
    Build,
    BuiltPart,
    Contract,
    Draft,
    Lineage,
    Numbers,
    Parity,
    Speed,
)
from registry.signature import DType, Input, Signature, Tensor

SIGNATURE = Signature(
    inputs=(Tensor(name="ids", dtype=DType.INT64, shape=("batch", 2)),),
    outputs=(Tensor(name="score", dtype=DType.FLOAT32, shape=("batch",)),),
)


BENCHMARK = Benchmark(
    cpu="a CPU",
    cpus=2,
    load=0.5,
    in_force={"threads": "2"},
    speeds=tuple(
        Speed(
            batch=batch,
            calls=100,
            p50=batch / 8000,
            p95=batch / 4000,
            rate=7900.0,
            rows="generated",
            axes={"batch": batch},
        )
        for batch in (1, 8)
    ),
)


def write_draft(folder: Path, model: str = "ads", answer: bytes = b"weights") -> Draft:
    """Write a version's folder with every kind of file, and return its draft.

    Drafts with different `answer`s have different fingerprints.
    """
    files = {
        "ids/model.onnx": b"ids program",
        "tables/items/000000.safetensors": b"rows " * 2000,
        "builds/cpu/model.xml": b"<net/>",
        "builds/cpu/model.bin": answer,
        "recorded.safetensors": b"recorded",
        "report/index.html": b"<html/>",
        "report/report.json": b"{}",
        "job.yaml": b"schema: 1\n",
    }
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Draft(
        model=model,
        signature=SIGNATURE,
        inputs=(Input(name="ids", dtype=DType.INT64, shape=("batch", 2)),),
        axes={},
        ids=_artifact("ids", Format.ONNX, "ids"),
        tables=(_table(),),
        lookups=(_lookup(),),
        builds=(_build(),),
        recorded="recorded.safetensors",
        report="report",
        lineage=Lineage(job="job.yaml", source="torch", source_digest="0" * 64, tools={"t": "1"}),
    )


def _artifact(part: str, format: Format, folder: str) -> Artifact:  # noqa: A002
    return Artifact(part=part, format=format, folder=folder, signature=SIGNATURE, maker="test 1.0")


def _table() -> Table:
    shard = Shard(file="tables/items/000000.safetensors", start=0, rows=10)
    return Table(
        name="items", rows=10, dim=4, dtype=DType.FLOAT32, keys=("items.weight",), shards=(shard,)
    )


def _lookup() -> Lookup:
    return Lookup(
        output="emb__items__0", table="items", kind="embedding", ids="ids", dtype=DType.FLOAT32
    )


def _build() -> Build:
    numbers = Numbers(
        output="score",
        compared=3,
        max_abs=1e-7,
        max_scaled=1e-7,
        worst=0.1,
        where="recorded [0]",
        atol=1e-5,
        rtol=1e-3,
        because="it is a test",
        passed=True,
        histogram={-99: 2, -7: 1},
    )
    part = BuiltPart(
        target="cpu",
        runtime="openvino",
        precision="f32",
        artifact=_artifact("dense", Format.OPENVINO_IR, "builds/cpu"),
        contract=Contract(
            isa=("avx2",), runtime="openvino", at_least="2025.4", below="2027", precision="f32"
        ),
    )
    return Build(
        target="cpu",
        parts=(part,),
        parity=(Parity(kind="conversion", in_force={}, outputs=(numbers,), cases=1, passed=True),),
        benchmark=BENCHMARK,
    )
