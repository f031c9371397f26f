"""DeepCTR-Torch: click models that take all features as the columns of one float32 matrix."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchmarks.zoo.package import BATCH, Model, Package
from benchmarks.zoo.wrap import adds_column
from registry.signature import Axis, DType, Ids, Input

if TYPE_CHECKING:
    import torch

#: Rows of each table; ids come as floats, a column each.
_SPARSE = {"user": 60, "item": 50, "city": 40, "device": 30}
_LENGTH = 6

#: Values of the columns of dense features: 0 to 7.
_DENSE = 8


def _features() -> list[object]:
    """Return four ids, a bag of six with its padding, and two dense features."""
    from deepctr_torch.inputs import DenseFeat, SparseFeat, VarLenSparseFeat

    return [
        *(SparseFeat(name, rows, embedding_dim=8) for name, rows in _SPARSE.items()),
        VarLenSparseFeat(SparseFeat("tags", 40, embedding_dim=8), _LENGTH, "mean"),
        DenseFeat("age", 1),
        DenseFeat("price", 1),
    ]


def _sessions() -> list[object]:
    """Return a user, an item, its history with a length, and a dense feature."""
    from deepctr_torch.inputs import DenseFeat, SparseFeat, VarLenSparseFeat

    history = SparseFeat("hist_item", 50, embedding_dim=8, embedding_name="item")
    return [
        SparseFeat("user", 60, embedding_dim=8),
        SparseFeat("item", 50, embedding_dim=8),
        DenseFeat("price", 1),
        VarLenSparseFeat(history, _LENGTH, length_name="length"),
    ]


def _matrix(cardinality: tuple[int, ...]) -> tuple[Input, ...]:
    shape = ("batch", len(cardinality))
    ids = Ids(cardinality=cardinality)
    return (Input(name="X", dtype=DType.FLOAT32, shape=shape, ids=ids),)


_FEATURES = _matrix((*_SPARSE.values(), *(40,) * _LENGTH, _DENSE, _DENSE))
_SESSIONS = _matrix((60, 50, _DENSE, *(50,) * _LENGTH, _LENGTH + 1))

_HISTORIES = (
    *_matrix((60, 50, _DENSE, *(50,) * _LENGTH)),
    Input(name="length", dtype=DType.FLOAT32, shape=("batch",), range=(1, _LENGTH)),
)

_Build = Callable[[], "torch.nn.Module"]


def _wide(name: str, options: Mapping[str, object]) -> _Build:
    """Build a model with a linear part beside the deep one."""

    def build() -> "torch.nn.Module":
        from deepctr_torch import models

        return getattr(models, name)(_features(), _features(), **options)

    return build


def _ids_deep(name: str, options: Mapping[str, object]) -> _Build:
    """Build a model whose deep part takes no dense features."""

    def build() -> "torch.nn.Module":
        from deepctr_torch import models

        return getattr(models, name)(_features(), _features()[:-2], **options)

    return build


def _deep(name: str, options: Mapping[str, object]) -> _Build:
    """Build a model of a deep part alone."""

    def build() -> "torch.nn.Module":
        from deepctr_torch import models

        return getattr(models, name)(_features(), **options)

    return build


def _history(name: str, options: Mapping[str, object]) -> _Build:
    """Build a model of the items that a user had before."""

    def build() -> "torch.nn.Module":
        from deepctr_torch import models

        return getattr(models, name)(_sessions(), ["item"], **options)

    return build


#: Of DCNMix, whose squeeze() drops a batch axis of 1: upstream's.
_TWO: Mapping[str, Axis] = MappingProxyType({"batch": Axis(min=2, max=64)})


def _evolution(name: str, options: Mapping[str, object]) -> _Build:
    """Build a model whose histories have an item at least: without any the original crashes."""

    def build() -> "torch.nn.Module":
        return adds_column(_history(name, options)())

    return build


_SMALL = {"dnn_hidden_units": (16, 8)}

#: Name, how it is built, what is not as usual.
_ROWS: tuple[
    tuple[str, Callable[[str, Mapping[str, object]], _Build], Mapping[str, object]], ...
] = (
    ("AFM", _ids_deep, {}),
    ("AFN", _wide, {"ltl_hidden_size": 16, "afn_dnn_hidden_units": (16, 8)}),
    ("AutoInt", _wide, _SMALL),
    ("CCPM", _ids_deep, {"dnn_hidden_units": (16,)}),
    ("DCN", _wide, _SMALL),
    ("DCN matrix", _wide, {**_SMALL, "cross_parameterization": "matrix"}),
    ("DCNMix", _wide, {**_SMALL, "low_rank": 4}),
    ("DIFM", _wide, _SMALL),
    ("DeepFM", _wide, {**_SMALL, "dnn_use_bn": True}),
    ("FiBiNET", _wide, _SMALL),
    ("FiBiNET each", _wide, {**_SMALL, "bilinear_type": "each"}),
    ("FiBiNET all", _wide, {**_SMALL, "bilinear_type": "all"}),
    ("IFM", _wide, _SMALL),
    ("MLR", _deep, {}),
    ("NFM", _wide, _SMALL),
    ("ONN", _wide, _SMALL),
    ("PNN", _deep, _SMALL),
    ("PNN outer", _deep, {**_SMALL, "use_outter": True, "use_inner": False}),
    ("WDL", _wide, _SMALL),
    ("xDeepFM", _wide, {**_SMALL, "cin_layer_size": (8, 8)}),
    ("DIN", _history, {**_SMALL, "att_hidden_size": (8, 4)}),
    ("DIEN", _evolution, {**_SMALL, "att_hidden_units": (8, 4)}),
    ("DIEN AIGRU", _evolution, {**_SMALL, "att_hidden_units": (8, 4), "gru_type": "AIGRU"}),
    ("DIEN AGRU", _evolution, {**_SMALL, "att_hidden_units": (8, 4), "gru_type": "AGRU"}),
    ("DIEN AUGRU", _evolution, {**_SMALL, "att_hidden_units": (8, 4), "gru_type": "AUGRU"}),
    ("SharedBottom", _deep, {"bottom_dnn_hidden_units": (16, 8), "tower_dnn_hidden_units": (8,)}),
    ("ESMM", _deep, {"tower_dnn_hidden_units": (16, 8)}),
    ("MMOE", _deep, {"expert_dnn_hidden_units": (16, 8), "tower_dnn_hidden_units": (8,)}),
    ("PLE", _deep, {"expert_dnn_hidden_units": (16, 8), "tower_dnn_hidden_units": (8,)}),
)


_PICKED = (
    "upstream: InterestExtractor picks rows by their lengths (`keys_length[mask]`, masked_select), "
    "and branches on how many there are"
)

_INPUTS = {_history: _SESSIONS, _evolution: _HISTORIES}


def _model(
    row: tuple[str, Callable[[str, Mapping[str, object]], _Build], Mapping[str, object]],
) -> Model:
    name, way, options = row
    inputs = _INPUTS.get(way, _FEATURES)
    axes = _TWO if name == "DCNMix" else BATCH
    blame = _PICKED if way is _evolution else ""
    return Model(name, way(name.split()[0], options), inputs, axes, blame=blame)


PACKAGE = Package(
    name="deepctr-torch",
    models=tuple(map(_model, _ROWS)),
    imports=("deepctr_torch.models",),
    left_out={"BaseModel, Linear": "the parts that all models share"},
    in_tests=("DeepFM",),
)
