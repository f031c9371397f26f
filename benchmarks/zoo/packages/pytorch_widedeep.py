"""pytorch-widedeep: tables with categories and numbers, beside texts and images."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from benchmarks.zoo.package import Model, Package
from benchmarks.zoo.settle import settled
from benchmarks.zoo.weights import draw
from registry.signature import Axis, DType, Ids, Input

if TYPE_CHECKING:
    import torch

_DIM = 8
_LENGTH = 6
_WORDS = 60

#: Categories of each column; 0 stands for one that is not known, beside them.
_ROWS = {"user": 60, "item": 50, "city": 40, "device": 30}
_NUMBERS = ("age", "price")
_COLUMNS = {name: at for at, name in enumerate((*_ROWS, *_NUMBERS))}

_AXES = {"batch": Axis(max=64), "length": Axis(max=24)}


def _ids(name: str, *rows: int) -> Input:
    ids = Ids(cardinality=rows)
    return Input(name=name, dtype=DType.INT64, shape=("batch", len(rows)), ids=ids)


def _floats(name: str, *shape: int, most: float = 3) -> Input:
    shape_ = ("batch", *shape)
    return Input(name=name, dtype=DType.FLOAT32, shape=shape_, range=(-most, most))


#: Ids of each column from 0 on; and, where all columns share a table, one after the other.
_OWN = _ids("ids", *(rows + 1 for rows in _ROWS.values()))
_SHARED = _ids("ids", *(last + 1 for last in accumulate(_ROWS.values())))
_VALUES = _floats("numbers", len(_NUMBERS))
_CROSSED = _ids("crossed", *(81,) * 3)
_TEXT = Input(
    name="words",
    dtype=DType.INT64,
    shape=("batch", "length"),
    ids=Ids(cardinality=_WORDS, padding=1),
)
_SEQUENCE = _ids("words", *(_WORDS,) * _LENGTH)
_IMAGE = _floats("image", 3, 32, 32, most=1)

#: A user's last items and what was done with each, the item in question, a city, a number.
_INTEREST = (
    *(f"item_{at}" for at in range(_LENGTH)),
    *(f"action_{at}" for at in range(_LENGTH)),
    "target_item",
    "city",
    "age",
)
_HISTORY = _ids("ids", *(51,) * _LENGTH, *(21,) * _LENGTH, 51, 41)


def _numeric(**more: object) -> dict[str, object]:
    return {"continuous_cols": list(_NUMBERS), "cont_norm_layer": "batchnorm", **more}


#: Ways that numbers become vectors.
_STANDARD = {"embed_continuous_method": "standard"}
_PERIODIC = {
    "embed_continuous_method": "periodic",
    "n_frequencies": 4,
    "sigma": 0.2,
    "share_last_layer": False,
}
_PIECEWISE = {
    "embed_continuous_method": "piecewise",
    "cont_norm_layer": None,
    "quantization_setup": {"age": [-3.0, -1.0, 0.0, 2.0, 3.0], "price": [-3.0, 0.5, 3.0]},
}


def _plain(**more: object) -> dict[str, object]:
    """Return the arguments of models whose columns have a table each, of its own width."""
    tables = [(name, rows, _DIM) for name, rows in _ROWS.items()]
    return {"column_idx": _COLUMNS, "cat_embed_input": tables, **_numeric(), **more}


def _even(**more: object) -> dict[str, object]:
    """Return the arguments of models whose columns share a table."""
    tables = list(_ROWS.items())
    return {"column_idx": _COLUMNS, "cat_embed_input": tables, **_numeric(), **more}


def _wide(**more: object) -> dict[str, object]:
    return _even(input_dim=_DIM, **{**_STANDARD, **more})


_MLP = {"mlp_hidden_dims": [16, 8]}
_HEADS = {"n_heads": 2, "n_blocks": 2}
#: The first columns of each table's vectors are the same for all of its rows.
_FIRST = {"shared_embed": True, "frac_shared_embed": 0.25}
_BIASED = {"use_cat_bias": True, "cat_embed_activation": "tanh", "mlp_batchnorm": True}
_STACKED = {"structure": "stacked", "gated": False, "reduction": "cat"}
_STEPS = {"n_steps": 2, "step_dim": 8, "attn_dim": 8}
_LATENT = {
    "n_cross_attn_heads": 2, "n_latents": 4, "latent_dim": 8, "n_latent_heads": 2,
    "n_latent_blocks": 1, "n_perceiver_blocks": 2,
}  # fmt: skip


def _interest(**more: object) -> dict[str, object]:
    return {
        "column_idx": {name: at for at, name in enumerate(_INTEREST)},
        "user_behavior_confiq": (list(_INTEREST[:_LENGTH]), 50, _DIM),
        "action_seq_config": (list(_INTEREST[_LENGTH : 2 * _LENGTH]), 20),
        "cat_embed_input": [("city", 40, _DIM)],
        "continuous_cols": ["age"],
        **_MLP,
        **more,
    }


def _named(*names: str) -> dict[str, object]:
    """Return the arguments of a tower of some columns that have a table each."""
    columns = {name: at for at, name in enumerate(names)}
    return {"column_idx": columns, "cat_embed_input": [(name, _ROWS[name], _DIM) for name in names]}


_RNN = {"vocab_size": _WORDS, "embed_dim": _DIM, "hidden_dim": _DIM}
_BOTH = {"rnn_type": "gru", "bidirectional": True}
_SESSION = {"vocab_size": _WORDS, "seq_length": _LENGTH, "input_dim": _DIM, **_HEADS}
_LINEAR_SESSION = {**_SESSION, "use_linear_attention": True, "with_cls_token": True}
_PICTURE = {"channel_sizes": [8, 16], "kernel_sizes": [5, 3], "strides": [2, 1]}
_RESNET = {"pretrained_model_setup": {"resnet18": None}, "n_trainable": 1}
_CLASS = {
    "column_idx": {"cls_token": 0, **{name: at + 1 for name, at in _COLUMNS.items()}},
    "cat_embed_input": [("cls_token", 1), *_ROWS.items()],
}
_CLASS_IDS = _ids("ids", 2, *(last + 2 for last in accumulate(_ROWS.values())))

#: Columns of the one matrix that models of tables take.
_MATRIX = {"deeptabular": ("ids+numbers",)}

#: Inputs of models by how their ids are told apart.
_PLAIN = (_OWN, _VALUES)
_EVEN = (_SHARED, _VALUES)

#: The name, whose first word is the class; its folder; its arguments; what it takes.
_ALONE: tuple[tuple[str, str, Mapping[str, object], tuple[Input, ...]], ...] = (
    ("TabMlp", "tabular", _plain(**_MLP), _PLAIN),
    ("TabMlp biased", "tabular", _plain(**_MLP, **_BIASED), _PLAIN),
    ("TabMlp standard", "tabular", _plain(**_MLP, **_STANDARD, cont_embed_dim=4), _PLAIN),
    ("TabMlp periodic", "tabular", _plain(**_MLP, **_PERIODIC, cont_embed_dim=4), _PLAIN),
    ("TabMlp piecewise", "tabular", _plain(**_MLP, **_PIECEWISE, cont_embed_dim=4), _PLAIN),
    ("TabResnet", "tabular", _plain(blocks_dims=[16, 8], **_MLP), _PLAIN),
    ("TabNet", "tabular", _plain(**_STEPS), _PLAIN),
    ("TabNet entmax", "tabular", _plain(**_STEPS, mask_type="entmax"), _PLAIN),
    ("TabNet whole", "tabular", _plain(**_STEPS, ghost_bn=False), _PLAIN),
    ("ContextAttentionMLP", "tabular", _wide(n_blocks=2, with_addnorm=True), _EVEN),
    ("SelfAttentionMLP", "tabular", _wide(**_HEADS, with_addnorm=True), _EVEN),
    ("TabTransformer", "tabular", _wide(**_HEADS), _EVEN),
    ("TabTransformer linear", "tabular", _wide(**_HEADS, use_linear_attention=True), _EVEN),
    ("TabTransformer flash", "tabular", _wide(**_HEADS, use_flash_attention=True), _EVEN),
    ("TabTransformer shared", "tabular", _wide(**_HEADS, **_FIRST), _PLAIN),
    ("TabTransformer shares none", "tabular", _wide(**_HEADS, shared_embed=True), _PLAIN),
    (
        "TabTransformer added",
        "tabular",
        _wide(**_HEADS, **_FIRST, add_shared_embed=True),
        _PLAIN,
    ),
    ("SAINT", "tabular", _wide(**_HEADS), _EVEN),
    ("FTTransformer", "tabular", _wide(**_HEADS), _EVEN),
    ("FTTransformer periodic", "tabular", _wide(**_HEADS, **_PERIODIC, kv_sharing=True), _EVEN),
    ("FTTransformer piecewise", "tabular", _wide(**_HEADS, **_PIECEWISE), _EVEN),
    ("FTTransformer class", "tabular", _wide(**_HEADS, **_CLASS), (_CLASS_IDS, _VALUES)),
    ("TabFastFormer", "tabular", _wide(**_HEADS), _EVEN),
    ("TabPerceiver", "tabular", _wide(**_LATENT), _EVEN),
    ("DeepCrossNetwork", "rec", _plain(n_cross_layers=2, **_MLP), _PLAIN),
    ("DeepCrossNetworkV2", "rec", _plain(**_MLP), _PLAIN),
    ("DeepCrossNetworkV2 low", "rec", _plain(**_MLP, low_rank=4, structure="stacked"), _PLAIN),
    ("GatedDeepCrossNetwork", "rec", _plain(num_cross_layers=2, **_MLP), _PLAIN),
    ("DeepFactorizationMachine", "rec", _even(num_factors=_DIM, **_MLP), _EVEN),
    (
        "ExtremeDeepFactorizationMachine",
        "rec",
        _wide(cin_layer_dims=[8, 8], **_MLP),
        _EVEN,
    ),
    ("AutoInt", "rec", _wide(num_heads=2), _EVEN),
    ("AutoIntPlus", "rec", _wide(num_heads=2, **_MLP), _EVEN),
    ("AutoIntPlus stacked", "rec", _wide(num_heads=2, **_STACKED, **_MLP), _EVEN),
    ("DeepInterestNetwork", "rec", _interest(), (_HISTORY, _floats("numbers", 1))),
    (
        "DeepInterestNetwork dice",
        "rec",
        _interest(attention_unit_activation="dice"),
        (_HISTORY, _floats("numbers", 1)),
    ),
)

_FIELDS = {name: at for at, name in enumerate(_ROWS)}

#: Models that take one input: the component that they are, and the rest as above.
_OF_ONE: tuple[tuple[str, str, str, Mapping[str, object], Input], ...] = (
    ("Wide", "wide", "tabular", {"input_dim": 80}, _CROSSED),
    (
        "DeepFieldAwareFactorizationMachine",
        "deeptabular",
        "rec",
        {"column_idx": _FIELDS, "num_factors": 4, "cat_embed_input": list(_ROWS.items()), **_MLP},
        _SHARED,
    ),
    ("Transformer", "deeptabular", "rec", _SESSION, _SEQUENCE),
    ("Transformer linear", "deeptabular", "rec", _LINEAR_SESSION, _SEQUENCE),
    ("BasicRNN", "deeptext", "text", {**_RNN, "n_layers": 2}, _TEXT),
    ("BasicRNN both", "deeptext", "text", {**_RNN, **_BOTH, "n_layers": 2}, _TEXT),
    ("AttentiveRNN", "deeptext", "text", {**_RNN, "n_layers": 2}, _TEXT),
    ("StackedAttentiveRNN", "deeptext", "text", {**_RNN, "n_blocks": 2}, _TEXT),
    (
        "StackedAttentiveRNN both",
        "deeptext",
        "text",
        {**_RNN, **_BOTH, "n_blocks": 2, "with_addnorm": True},
        _TEXT,
    ),
    ("Vision", "deepimage", "image", {**_PICTURE, "head_hidden_dims": [8]}, _IMAGE),
    ("Vision resnet", "deepimage", "image", _RESNET, _IMAGE),
)


def _class(folder: str, name: str) -> "Callable[..., torch.nn.Module]":
    from importlib import import_module

    return getattr(import_module(f"pytorch_widedeep.{folder}"), name.split(maxsplit=1)[0])  # type: ignore[no-any-return]


#: Models of several parts: what builds each, what it takes, and how that is handed on.
_ALL = (_CROSSED, _OWN, _VALUES, _TEXT, _IMAGE)
_EACH = {
    "wide": ("crossed",),
    "deeptabular": ("ids+numbers",),
    "deeptext": ("words",),
    "deepimage": ("image",),
}
_PAIR = (_ids("one", 61, 41), _ids("two", 51, 31))
_TOWERS = {"deeptabular": ("one", "two")}

_Build = Callable[[], "torch.nn.Module"]


def _class(folder: str, name: str) -> "Callable[..., torch.nn.Module]":
    from importlib import import_module

    module = import_module(f"pytorch_widedeep.{folder}")
    return getattr(module, name.split(maxsplit=1)[0])  # type: ignore[no-any-return]


def _wide_deep(**parts: object) -> "torch.nn.Module":
    return _class("models", "WideDeep")(**parts)


def _alone(name: str, part: str, folder: str, arguments: Mapping[str, object]) -> "torch.nn.Module":
    """Build a model as the one component of a WideDeep, which adds the layer that answers."""
    model = _class(f"models.{folder}", name)(**arguments)
    return _wide_deep(**{part: model})


def _together(**more: object) -> "torch.nn.Module":
    return _wide_deep(
        wide=_class("models.tabular", "Wide")(input_dim=80),
        deeptabular=_class("models.tabular", "TabMlp")(**_plain(**_MLP)),
        deeptext=_class("models.text", "BasicRNN")(**_RNN),
        deepimage=_class("models.image", "Vision")(**_PICTURE),
        **more,
    )


def _fused(method: object, last: int = 8, **more: object) -> "torch.nn.Module":
    """Build two towers, of users and of items."""
    tower = _class("models.tabular", "TabMlp")
    users = tower(**_named("user", "city"), **_MLP)
    items = tower(**_named("item", "device"), mlp_hidden_dims=[16, last])
    fuser = _class("models", "ModelFuser")([users, items], fusion_method=method, **more)
    return _wide_deep(deeptabular=fuser)


_SEVERAL: tuple[tuple[str, _Build, tuple[Input, ...], Mapping[str, tuple[str, ...]]], ...] = (
    ("WideDeep", _together, _ALL, _EACH),
    ("WideDeep head", partial(_together, head_hidden_dims=[16]), _ALL, _EACH),
    ("WideDeep positive", partial(_together, enforce_positive=True), _ALL, _EACH),
    ("ModelFuser dot", partial(_fused, "dot"), _PAIR, _TOWERS),
    ("ModelFuser head", partial(_fused, "head", head_hidden_dims=[8]), _PAIR, _TOWERS),
    ("ModelFuser all", partial(_fused, ["concatenate", "mean", "max", "mult"]), _PAIR, _TOWERS),
    (
        "ModelFuser projected",
        partial(_fused, "mean", 4, projection_method="min"),
        _PAIR,
        _TOWERS,
    ),
)

#: Models whose weights are distributions: served, they answer by the means.
_BAYESIAN: tuple[tuple[str, Mapping[str, object], tuple[Input, ...], str], ...] = (
    ("BayesianWide", {"input_dim": 80}, (_CROSSED,), "crossed"),
    ("BayesianTabMlp", _plain(**_MLP), _PLAIN, "ids+numbers"),
)

_BLAME: Mapping[str, str] = {
    "TabTransformer shares none": "upstream: OpenVINO widens an empty tensor to one column (Expand "
    "of [1, 0]), and then refuses to write it; by its defaults TabTransformer shares no column",
    "ModelFuser projected": "upstream: ModelFuser._project makes its linear layers in forward, and "
    "draws their weights each time",
}


def _model(
    name: str, build: _Build, inputs: tuple[Input, ...], parts: Mapping[str, tuple[str, ...]]
) -> Model:
    def served() -> "torch.nn.Module":
        from benchmarks.zoo.wide_deep import Bare, Served

        kind = Bare if name.startswith("Bayesian") else Served
        return kind(build(), tuple(one.name for one in inputs), parts)

    dims = {dim for one in inputs for dim in one.shape}
    return Model(
        name,
        served,
        inputs,
        {axis: size for axis, size in _AXES.items() if axis in dims},
        draw=settled(inputs) if inputs == (_IMAGE,) else draw,
        blame=_BLAME.get(name, ""),
    )


def _models() -> Iterator[Model]:
    for name, folder, arguments, inputs in _ALONE:
        build = partial(_alone, name, "deeptabular", folder, arguments)
        yield _model(name, build, inputs, _MATRIX)
    for name, part, folder, arguments, given in _OF_ONE:
        build = partial(_alone, name, part, folder, arguments)
        yield _model(name, build, (given,), {part: (given.name,)})
    for row in _SEVERAL:
        yield _model(*row)
    for name, arguments, inputs, columns in _BAYESIAN:
        yield _model(name, partial(_built, name, arguments), inputs, {"deeptabular": (columns,)})


def _built(name: str, arguments: Mapping[str, object]) -> "torch.nn.Module":
    return _class("bayesian_models", name)(**arguments)


PACKAGE = Package(
    name="pytorch-widedeep",
    models=tuple(_models()),
    imports=("benchmarks.zoo.wide_deep",),
    left_out={
        "HFModel": "models of transformers, whose configurations it downloads",
        "TabMlpDecoder, TabResnetDecoder, TabNetDecoder, EncoderDecoderModel, "
        "ContrastiveDenoisingModel": "of training alone: what they learn is an encoder above",
    },
)
