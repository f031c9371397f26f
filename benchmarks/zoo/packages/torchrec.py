"""torchrec: its recommenders, fed with a KeyedJaggedTensor as `source.jagged` makes it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from benchmarks.zoo.package import Model, Package
from registry.signature import Axis, DType, Ids, Input

if TYPE_CHECKING:
    import torch

#: Rows of each table, and the features that read it.
_TABLES: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "users": (60, ("user",)),
    "goods": (50, ("item", "history")),
    "tags": (40, ("tags",)),
}
_DIM = 8
_DENSE = 4
_ROWS = {name: rows for rows, names in _TABLES.values() for name in names}
_AXES = {
    "batch": Axis(max=64),
    "ends": Axis(min=2, max=65),
    **{f"{name}_total": Axis(min=0, max=1024) for name in _ROWS},
}

_NUMBERS = Input(
    name="dense_features", dtype=DType.FLOAT32, shape=("batch", _DENSE), range=(-2.0, 2.0)
)


def _features(*, weighted: bool = False) -> tuple[Input, ...]:
    made = []
    for name, rows in _ROWS.items():
        total = (f"{name}_total",)
        made.append(Input(name=name, dtype=DType.INT64, shape=total, ids=Ids(cardinality=rows)))
        starts = {"offsets": name, "includes_last": True}
        made.append(Input(name=f"{name}_offsets", dtype=DType.INT64, shape=("ends",), **starts))
        if weighted:
            span = (-1.0, 1.0)
            weights = Input(name=f"{name}_weights", dtype=DType.FLOAT32, shape=total, range=span)
            made.append(weights)
    return tuple(made)


def _by_length() -> tuple[Input, ...]:
    """Describe the features with lengths in the place of offsets."""
    made = []
    for one in _features():
        if one.offsets is None:
            made.append(one)
            continue
        name = f"{one.offsets}_lengths"
        made.append(Input(name=name, dtype=DType.INT32, shape=("batch",), lengths=one.offsets))
    return tuple(made)


def _collection(*, weighted: bool = False) -> "torch.nn.Module":
    """Build the tables; those of goods take means, where no weights are given."""
    from torchrec import EmbeddingBagCollection, EmbeddingBagConfig
    from torchrec.modules.embedding_configs import PoolingType

    pooling = {"goods": PoolingType.SUM if weighted else PoolingType.MEAN}
    tables = [
        EmbeddingBagConfig(
            name=name,
            embedding_dim=_DIM,
            num_embeddings=rows,
            feature_names=list(features),
            pooling=pooling.get(name, PoolingType.SUM),
        )
        for name, (rows, features) in _TABLES.items()
    ]
    return EmbeddingBagCollection(tables=tables, is_weighted=weighted)


def _dlrm() -> "torch.nn.Module":
    from torchrec.models.dlrm import DLRM

    return DLRM(_collection(), _DENSE, [16, _DIM], [16, 1])


def _projection() -> "torch.nn.Module":
    from torchrec.models.dlrm import DLRM_Projection

    branches = [[16, 2 * _DIM], [16, 2 * _DIM]]
    return DLRM_Projection(_collection(), _DENSE, [16, _DIM], [16, 1], *branches)


def _cross() -> "torch.nn.Module":
    from torchrec.models.dlrm import DLRM_DCN

    return DLRM_DCN(_collection(), _DENSE, [16, _DIM], [16, 1], 2, 4)


def _factorised() -> "torch.nn.Module":
    from torchrec.models.deepfm import SimpleDeepFMNN

    return SimpleDeepFMNN(_DENSE, _collection(), 16, _DIM)


def _two_towers() -> "torch.nn.Module":
    """Build what torchrec's own example of retrieval is: a product of two pooled halves."""
    import torch

    class TwoTowers(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.collection = _collection()
            self.query = torch.nn.Linear(2 * _DIM, 4)
            self.candidate = torch.nn.Linear(2 * _DIM, 4)

        def forward(self, features: object) -> "torch.Tensor":
            pooled = self.collection(features).to_dict()
            query = self.query(torch.cat([pooled["user"], pooled["history"]], 1))
            candidate = self.candidate(torch.cat([pooled["item"], pooled["tags"]], 1))
            return (query * candidate).sum(1)

    return TwoTowers()


def _weighted() -> "torch.nn.Module":
    import torch

    class Weighted(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.collection = _collection(weighted=True)
            self.head = torch.nn.Linear(len(_ROWS) * _DIM, 1)

        def forward(self, features: object) -> "torch.Tensor":
            return self.head(self.collection(features).values())

    return Weighted()


def _sequences() -> "torch.nn.Module":
    """Build what reads histories unpooled, the first four of each, beside pooled bags."""
    import torch
    from torchrec import EmbeddingCollection, EmbeddingConfig, KeyedJaggedTensor

    rows, _ = _TABLES["goods"]
    goods = EmbeddingConfig(
        name="goods", embedding_dim=_DIM, num_embeddings=rows, feature_names=["history"]
    )

    class Sequences(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pooled = _collection()
            self.unpooled = EmbeddingCollection(tables=[goods])
            self.head = torch.nn.Linear((len(_ROWS) + 4) * _DIM, 1)

        def forward(self, features: KeyedJaggedTensor) -> torch.Tensor:
            seen = self.unpooled(features)["history"].to_padded_dense(4)
            return self.head(torch.cat([self.pooled(features).values(), seen.flatten(1)], 1))

    return Sequences()


def _model(name: str, build: "Callable[[], torch.nn.Module]") -> Model:
    jagged = {"sparse_features": tuple(_ROWS)}
    return Model(name, build, (_NUMBERS, *_features()), axes=_AXES, jagged=jagged)


def _alone(name: str, build: "Callable[[], torch.nn.Module]", *, weighted: bool = False) -> Model:
    axes = {axis: _AXES[axis] for axis in _AXES if axis != "batch"}
    inputs = _features(weighted=weighted)
    return Model(name, build, inputs, axes=axes, jagged={"features": tuple(_ROWS)})


PACKAGE = Package(
    name="torchrec",
    imports=("torchrec", "torchrec.models.dlrm", "torchrec.models.deepfm"),
    models=(
        _model("DLRM", _dlrm),
        _model("DLRM_Projection", _projection),
        _model("DLRM_DCN", _cross),
        _model("SimpleDeepFMNN", _factorised),
        _alone("TwoTowers", _two_towers),
        _alone("Weighted", _weighted, weighted=True),
        Model(
            "Sequences",
            _sequences,
            _by_length(),
            axes={axis: _AXES[axis] for axis in _AXES if axis != "ends"},
            jagged={"features": tuple(_ROWS)},
        ),
    ),
    left_out={"BERT4Rec and others below examples/": "not in the package"},
    in_tests=("DLRM",),
)
