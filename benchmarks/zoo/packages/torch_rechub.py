"""Torch-RecHub: ranking, matching, multi-task, generative: models that take a dict of features."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchmarks.zoo.package import BATCH, Model, Package
from benchmarks.zoo.wrap import takes_dict
from registry.signature import Axis, DType, Ids, Input

if TYPE_CHECKING:
    import torch
    from torch_rechub.basic.features import DenseFeature, SequenceFeature, SparseFeature

_DIM = 8
_LENGTH = 6
_ITEMS = 60
_MLP = {"dims": [16, 8]}
_TOWER = {"dims": [8]}


def _ids(name: str, rows: int = 40, *shape: int) -> Input:
    padding = 0 if shape else None
    ids = Ids(cardinality=rows, padding=padding)
    return Input(name=name, dtype=DType.INT64, shape=("batch", *shape), ids=ids)


def _of_eight(one: Input) -> Input:
    return one.model_copy(update={"shape": (_EIGHT, *one.shape[1:])})


def _number(name: str, *shape: int) -> Input:
    return Input(name=name, dtype=DType.FLOAT32, shape=("batch", *shape), range=(-3, 3))


def _sparse(*names: str) -> "list[SparseFeature]":
    from torch_rechub.basic.features import SparseFeature

    rows = {"item": _ITEMS, "target": _ITEMS}
    return [SparseFeature(name, rows.get(name, 40), embed_dim=_DIM) for name in names]


def _dense(*names: str) -> "list[DenseFeature]":
    from torch_rechub.basic.features import DenseFeature

    return [DenseFeature(name) for name in names]


def _sequence(name: str, pooling: str, shared: str | None = None) -> "SequenceFeature":
    from torch_rechub.basic.features import SequenceFeature

    return SequenceFeature(name, _ITEMS, _DIM, pooling=pooling, shared_with=shared, padding_idx=0)


@dataclass(frozen=True)
class _Row:
    """One model: its folder and class, its arguments, the features that it takes."""

    name: str
    module: str
    arguments: Callable[[], Mapping[str, object]]
    inputs: tuple[Input, ...]
    axes: Mapping[str, Axis] = field(default_factory=lambda: BATCH)
    fixed: Mapping[str, str] = field(default_factory=dict)
    blame: str = ""


_CLICK = (_ids("user"), _ids("city"), _ids("brand"), _number("age"), _number("price"))
_FIELDS = (_ids("user"), _ids("city"), _ids("brand"))
_SESSION = (_ids("user"), _ids("item", _ITEMS), _ids("history", _ITEMS, _LENGTH))
_MATCH = (_ids("user"), _ids("history", _ITEMS, _LENGTH), _ids("item", _ITEMS), _ids("kind"))
_LISTS = (
    _ids("user"),
    _ids("history", _ITEMS, _LENGTH),
    _ids("item", _ITEMS),
    _ids("negative", _ITEMS, 3),
)
_TASKS = (_ids("user"), _ids("city"), _ids("item", _ITEMS), _number("age"))

_WEIGHT = Input(name="weight", dtype=DType.FLOAT32, shape=("batch",), range=(0.1, 1))

#: An item at least in each session: without one the original reads in front of its first item.
_ONLY_ITEMS = Input(
    name="history", dtype=DType.INT64, shape=("batch", _LENGTH), range=(1, _ITEMS - 1)
)

#: Of models that squeeze() a batch axis of 1 away, upstream's.
_TWO: Mapping[str, Axis] = MappingProxyType({"batch": Axis(min=2, max=64)})

#: Of the one model that fixes it.
_EIGHT = 8


def _click() -> list[object]:
    return [*_sparse("user", "city", "brand"), *_dense("age", "price")]


def _both(**more: object) -> Callable[[], Mapping[str, object]]:
    return lambda: {"features": _click(), "mlp_params": _MLP, **more}


def _fm() -> Mapping[str, object]:
    return {"deep_features": _click(), "fm_features": _fields(), "mlp_params": _MLP}


def _fields() -> "list[SparseFeature]":
    return _sparse("user", "city", "brand")


def _crossed() -> "list[SparseFeature]":
    """Return features that have a row for each pair of an id and a field."""
    from torch_rechub.basic.features import SparseFeature

    return [SparseFeature(one.name, 40 * 3, embed_dim=_DIM) for one in _fields()]


def _ffm(**more: object) -> Callable[[], Mapping[str, object]]:
    return lambda: {
        "linear_features": _fields(),
        "cross_features": _crossed(),
        "embed_dim": _DIM,
        "mlp_params": _MLP,
        **more,
    }


def _interest(**more: object) -> Callable[[], Mapping[str, object]]:
    return lambda: {
        "features": _sparse("user"),
        "history_features": [_sequence("history", "concat", "item")],
        "target_features": _sparse("item"),
        "mlp_params": _MLP,
        **more,
    }


def _evolving() -> Mapping[str, object]:
    negatives = [_sequence("negatives", "concat", "item")]
    return {**_interest()(), "neg_history_features": negatives}


def _two_towers() -> Mapping[str, object]:
    return {
        "user_features": [*_sparse("user"), _sequence("history", "mean", "item")],
        "item_features": _sparse("item", "kind"),
        "user_params": _MLP,
        "item_params": _MLP,
    }


def _facebook() -> Mapping[str, object]:
    towers = dict(_two_towers())
    items = towers.pop("item_features")
    return {**towers, "pos_item_features": items, "neg_item_features": _sparse("other", "rival")}


def _sampled() -> Mapping[str, object]:
    weight = _dense("weight")
    return {**_two_towers(), "sample_weight_feature": weight, "batch_size": _EIGHT, "n_neg": 3}


def _youtube() -> Mapping[str, object]:
    return {
        "user_features": [*_sparse("user"), _sequence("history", "mean", "item")],
        "item_features": _sparse("item"),
        "neg_item_feature": [_sequence("negative", "concat", "item")],
        "user_params": {"dims": [16, _DIM]},
    }


def _interests(**more: object) -> Callable[[], Mapping[str, object]]:
    return lambda: {
        "user_features": _sparse("user"),
        "history_features": [_sequence("history", "concat", "item")],
        "item_features": _sparse("item"),
        "neg_item_feature": [_sequence("negative", "concat", "item")],
        **more,
    }


def _session(**more: object) -> Callable[[], Mapping[str, object]]:
    return lambda: {"item_history_feature": _sequence("history", "concat"), **more}


def _self_attentive() -> Mapping[str, object]:
    names = ("seq", "positive", "negatives")
    features = [_sequence(name, "concat", None if name == "seq" else "seq") for name in names]
    return {"features": features, "max_len": _LENGTH, "num_heads": 2}


def _sparse_interests() -> Mapping[str, object]:
    return {
        "history_features": ["history"],
        "item_features": ["item"],
        "neg_item_features": ["negative"],
        "num_items": _ITEMS,
        "embedding_dim": _DIM,
        "hidden_dim": 4,
        "num_concept": 10,
        "num_intention": 2,
        "seq_max_len": _LENGTH,
    }


def _tasks(**more: object) -> Callable[[], Mapping[str, object]]:
    return lambda: {"features": [*_sparse("user", "city", "item"), *_dense("age")], **more}


_TYPES = {"task_types": ["classification", "regression"], "tower_params_list": [_TOWER, _TOWER]}
_EXPERTS = {**_TYPES, "n_expert": 2, "expert_params": _MLP}
_LEVELS = {
    **_TYPES, "n_level": 2, "n_expert_specific": 1, "n_expert_shared": 1, "expert_params": _MLP,
}  # fmt: skip
_PICKED = (
    "upstream: DIEN branches on whether any row has a history (`has_hist.any()`), and picks these"
)
_RANDOM = "upstream: CapsuleNetwork draws its weights with torch.randn in every forward"

_ROWS: tuple[_Row, ...] = (
    _Row(
        "WideDeep",
        "ranking",
        lambda: {"wide_features": _fields(), "deep_features": _click(), "mlp_params": _MLP},
        _CLICK,
    ),
    _Row("DeepFM", "ranking", _fm, _CLICK),
    _Row("DCN", "ranking", _both(n_cross_layers=2), _CLICK),
    _Row("DCNv2", "ranking", _both(n_cross_layers=2), _CLICK, _TWO),
    _Row(
        "DCNv2 stacked", "ranking", _both(n_cross_layers=2, model_structure="stacked"), _CLICK, _TWO
    ),
    _Row("DCNv2 full rank", "ranking", _both(n_cross_layers=2, use_low_rank_mixture=False), _CLICK),
    _Row("EDCN", "ranking", lambda: {**_both(n_cross_layers=2)(), "features": _fields()}, _FIELDS),
    _Row("AFM", "ranking", lambda: {"fm_features": _fields(), "embed_dim": _DIM}, _FIELDS),
    _Row("FiBiNet", "ranking", lambda: {"features": _fields(), "mlp_params": _MLP}, _FIELDS),
    _Row("DeepFFM", "ranking", _ffm(), _FIELDS),
    _Row("FatDeepFFM", "ranking", _ffm(reduction_ratio=1), _FIELDS),
    _Row(
        "AutoInt",
        "ranking",
        lambda: {
            "sparse_features": _fields(),
            "dense_features": _dense("age", "price"),
            "mlp_params": _MLP,
        },
        _CLICK,
    ),
    _Row("BST", "ranking", _interest(nhead=2), _SESSION),
    _Row("DIN", "ranking", _interest(attention_mlp_params={"dims": [8]}), _SESSION),
    _Row(
        "DIEN", "ranking", _evolving, (*_SESSION, _ids("negatives", _ITEMS, _LENGTH)), blame=_PICKED
    ),
    _Row("DSSM", "matching", _two_towers, _MATCH),
    _Row("FaceBookDSSM", "matching", _facebook, (*_MATCH, _ids("other"), _ids("rival"))),
    _Row("DSSM senet", "matching.dssm_senet", _two_towers, _MATCH),
    _Row("YoutubeDNN", "matching", _youtube, _LISTS),
    _Row(
        "YoutubeSBC",
        "matching",
        _sampled,
        tuple(_of_eight(one) for one in (*_MATCH, _WEIGHT)),
        {},
        fixed={"batch": "upstream: it makes its indices with numpy, for the batch of its options"},
    ),
    _Row(
        "GRU4Rec", "matching", lambda: {**_interests()(), "user_params": {"dims": [_DIM]}}, _LISTS
    ),
    _Row("MIND", "matching", _interests(max_length=_LENGTH), _LISTS, blame=_RANDOM),
    _Row("ComirecDR", "matching", _interests(max_length=_LENGTH), _LISTS),
    _Row("ComirecSA", "matching", _interests(), _LISTS),
    _Row(
        "NARM",
        "matching",
        _session(hidden_dim=8, emb_dropout_p=0.1, session_rep_dropout_p=0.1),
        (_ONLY_ITEMS,),
    ),
    _Row("STAMP", "matching", _session(weight_std=0.1, emb_std=0.1), (_ONLY_ITEMS,)),
    _Row(
        "SASRec",
        "matching",
        _self_attentive,
        tuple(_ids(name, _ITEMS, _LENGTH) for name in ("seq", "positive", "negatives")),
        _TWO,
    ),
    _Row(
        "SINE",
        "matching",
        _sparse_interests,
        (_ids("history", _ITEMS, _LENGTH), _ids("item", _ITEMS), _ids("negative", _ITEMS, 3)),
    ),
    _Row("SharedBottom", "multi_task", _tasks(**_TYPES, bottom_params=_MLP), _TASKS),
    _Row("MMOE", "multi_task", _tasks(**_EXPERTS), _TASKS),
    _Row("PLE", "multi_task", _tasks(**_LEVELS), _TASKS),
    _Row(
        "AITM",
        "multi_task",
        _tasks(n_task=2, bottom_params=_MLP, tower_params_list=[_TOWER, _TOWER]),
        _TASKS,
    ),
    _Row(
        "ESMM",
        "multi_task",
        lambda: {
            "user_features": _sparse("user", "city"),
            "item_features": _sparse("item"),
            "cvr_params": _TOWER,
            "ctr_params": _TOWER,
        },
        (_ids("user"), _ids("city"), _ids("item", _ITEMS)),
    ),
)


def _model(row: _Row) -> Model:
    def build() -> "torch.nn.Module":
        from importlib import import_module

        module = import_module(f"torch_rechub.models.{row.module}")
        model = getattr(module, row.name.split()[0])(**row.arguments())
        return takes_dict(model, tuple(one.name for one in row.inputs))

    return Model(row.name, build, row.inputs, row.axes, row.fixed, blame=row.blame)


def _hstu() -> "torch.nn.Module":
    from torch_rechub.models.generative import HSTUModel

    return HSTUModel(_ITEMS, d_model=16, n_heads=2, n_layers=2, dqk=8, dv=8, max_seq_len=12)


def _hllm() -> "torch.nn.Module":
    import torch
    from torch_rechub.models.generative import HLLMModel

    return HLLMModel(
        torch.randn(_ITEMS, 16), _ITEMS, d_model=16, n_heads=2, n_layers=2, max_seq_len=12
    )


def _codes() -> "torch.nn.Module":
    from torch_rechub.models.generative import RQVAEModel

    return RQVAEModel(in_dim=16, num_emb_list=[10, 10], e_dim=8, layers=[12], sk_epsilons=[0, 0])


_TOKENS: Mapping[str, Axis] = MappingProxyType(
    {"batch": Axis(max=64), "length": Axis(min=2, max=12)}
)
_SEQUENCE = (
    Input(
        name="seq_tokens",
        dtype=DType.INT64,
        shape=("batch", "length"),
        ids=Ids(cardinality=_ITEMS, padding=0),
    ),
    Input(name="time_diffs", dtype=DType.INT64, shape=("batch", "length"), range=(0, 100_000)),
)

PACKAGE = Package(
    name="torch-rechub",
    models=(
        *map(_model, _ROWS),
        Model(
            "HSTUModel",
            _hstu,
            (_SEQUENCE[0].model_copy(update={"name": "x"}), _SEQUENCE[1]),
            _TOKENS,
        ),
        Model("HLLMModel", _hllm, _SEQUENCE, _TOKENS),
        Model("RQVAEModel", _codes, (_number("x", 16),)),
    ),
    imports=(
        "torch_rechub.models.ranking",
        "torch_rechub.models.matching",
        "torch_rechub.models.multi_task",
    ),
    left_out={"TIGERModel": "T5 with other losses; the package transformers has T5"},
    in_tests=("FatDeepFFM",),
)
