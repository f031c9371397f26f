"""A run record as a run of the MovieLens job leaves it, for tests of what is made from one."""

from datetime import UTC, datetime
from pathlib import Path

from pipeline.record import Fault, RunRecord, StageRecord, Usage
from pipeline.stages.verdict import Demand, Validation
from registry.composition import Artifact, Kept, Lookup, Remark, Split, Table
from registry.format import Format
from registry.manifest import Contract, Numbers, Parity
from registry.signature import DType, Signature, Tensor
from tests.drafts import BENCHMARK


def tensor(name: str, dtype: DType, *shape: int | str) -> Tensor:
    return Tensor(name=name, dtype=dtype, shape=shape)


IDS = (
    tensor("user", DType.INT64, "batch"),
    tensor("history", DType.INT64, "batch", 20),
)

NUMBERS = tensor("numbers", DType.FLOAT32, "batch", 21)
VECTORS = tuple(tensor(f"emb__{t}__0", DType.FLOAT32, "batch", 32) for t in ("users", "movies"))
OUTPUT = tensor("like", DType.FLOAT32, "batch")


def ids_program() -> Artifact:
    made = tuple(tensor(f"ids__{t.name}", DType.INT64, *t.shape) for t in IDS)
    return Artifact(
        part="ids",
        format=Format.ONNX,
        folder="ids",
        maker="torch.onnx",
        signature=Signature(inputs=IDS, outputs=made),
    )


def split(*, ids: Artifact | None = None) -> Split:
    return Split(
        signature=Signature(inputs=(*IDS, NUMBERS), outputs=(OUTPUT,)),
        ids=ids,
        dense=Artifact(
            part="dense",
            format=Format.EXPORTED_PROGRAM,
            folder="dense",
            maker="torch.export 2.13.0",
            signature=Signature(inputs=(*VECTORS, NUMBERS), outputs=(OUTPUT,)),
        ),
        tables=(
            Table(name="users", rows=944, dim=32, dtype=DType.FLOAT32, keys=("users.weight",)),
            Table(name="movies", rows=1683, dim=32, dtype=DType.FLOAT32, keys=("movies.weight",)),
        ),
        lookups=(
            Lookup(
                output="emb__users__0",
                table="users",
                kind="embedding",
                ids="user",
                dtype=DType.FLOAT32,
            ),
            Lookup(
                output="emb__movies__0",
                table="movies",
                kind="bag",
                mode="mean",
                padding=0,
                ids="history",
                dtype=DType.FLOAT32,
            ),
        ),
        kept=(Kept(table="jobs", rows=21, dim=32, bytes=2688, why="fewer than 500 rows <script>"),),
        origins=(),
        nodes_before={"aten.linear": 5, "aten.embedding": 3},
        nodes_after={"aten.linear": 5},
        remarks=(Remark(by="torch.onnx", text="an axis was renamed"),),
    )


def numbers(*, passed: bool = True, histogram: dict[int, int] | None = None) -> Numbers:
    return Numbers(
        output="like",
        compared=10_221,
        max_abs=2.4e-7 if passed else 0.3,
        max_scaled=1e-6 if passed else 1.2,
        worst=0.02 if passed else 41.0,
        where="recorded 0-255 at [3]",
        atol=1e-5,
        rtol=1e-4,
        because="sums of products taken in another order",
        passed=passed,
        histogram=histogram or {-99: 5000, -9: 12, -7: 1200},
    )


def validation(target: str, *, passed: bool = True) -> Validation:
    parity = Parity(
        kind="conversion",
        in_force={"precision": "f32", "threads": "2"},
        outputs=(numbers(passed=passed),),
        metrics={"auc": (0.7277, 0.7277)},
        cases=44,
        refused_alike=6,
        passed=passed,
    )
    demand = Demand(
        part="dense",
        target=target,
        runtime="openvino",
        precision="f32",
        contract=Contract(
            isa=("avx2",), runtime="openvino", at_least="2025.4", below="2027", precision="f32"
        ),
    )
    return Validation(
        target=target,
        parts=(demand,),
        parity=(parity,),
        faults=() if passed else ("metric auc dropped by 0.1",),
        passed=passed,
        benchmark=BENCHMARK if passed else None,
    )


def run_record(*, passed: bool = True, with_split: bool = True) -> RunRecord:
    stage = StageRecord(
        name="split",
        stage="split",
        needs=(),
        outcome="done",
        why="first run",
        options={},
        usage=Usage(seconds=4.2, cpu=5.0, peak=400 << 20),
        bytes=12_345,
        output=Path("cache/split/abc/output"),
        reproduce="sh cache/split/abc/reproduce.sh",
    )
    return RunRecord(
        schema=1,
        model="movielens-dlrm",
        job="schema: 1\nmodel: movielens-dlrm  # <b>not bold</b>\n",
        folder=Path("jobs"),
        started=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        seconds=61.0,
        outcome="published" if passed else "failed",
        error=None
        if passed
        else Fault(kind="ParityError", message="off by 0.3 & more", exit_code=14),
        stages=(stage,),
        split=split() if with_split else None,
        validations=(validation("openvino-f32", passed=passed),) if with_split else (),
        source="torch movielens:build",
        source_digest="ab" * 32,
        tools={"torch": "2.13.0"},
        cpu="a CPU, 2 cores",
        version=1 if passed else None,
    )
