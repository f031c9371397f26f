"""Tiny models with what the job says of each, and what a split of it should find."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from converters.programs.examples import example_arrays
from converters.sources.source import Brief, SourceOptions
from converters.split.policy import SplitOptions
from registry.signature import Axis, Dim, DType, Ids, Input
from tests.modules import bags, encoders, odd_lookups, recommenders


@dataclass(frozen=True)
class Model:
    """One model.

    Attributes:
        lookups: How many vectors the dense part takes, once identical ones are joined.
        tables: How many tables are cut out.
        kept: A part of the reason for each table that stays, in any order.
        computed: Ids, offsets or weights are worked out: there is an ids program.
        follows: Axes that are longer than another, by a number: {'ends': ('batch', 1)}.
    """

    build: Callable[[], torch.nn.Module]
    inputs: tuple[Input, ...]
    axes: Mapping[str, Axis]
    lookups: int
    tables: int
    kept: tuple[str, ...] = ()
    computed: bool = False
    follows: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    options: SplitOptions = field(default_factory=SplitOptions)

    def module(self) -> torch.nn.Module:
        """Build the module, always with the same weights; its outputs are O(1)."""
        torch.manual_seed(7)
        return self.build().eval()

    def brief(self) -> Brief:
        """Say what a job would."""
        return Brief(options=SourceOptions(), folder=Path(), inputs=self.inputs, axes=self.axes)

    def arrays(self, size: int = 5) -> dict[str, np.ndarray]:
        """Make inputs with `size` along the leading axis; other axes have sizes near it."""
        names = dict.fromkeys(d for given in self.inputs for d in given.shape if isinstance(d, str))
        sizes = {name: size if at == 0 else size + at + 1 for at, name in enumerate(names)}
        sizes = {
            name: min(size * self.axes[name].multiple_of, self.axes[name].max)
            for name, size in sizes.items()
        }
        for name, (other, more) in self.follows.items():
            sizes[name] = sizes[other] + more
        return example_arrays(self.inputs, sizes)


def ids(name: str, *shape: Dim, rows: int = 1100, padding: int | None = None) -> Input:
    """Describe an input of ids."""
    return Input(
        name=name, dtype=DType.INT64, shape=shape, ids=Ids(cardinality=rows, padding=padding)
    )


def numbers(name: str, *shape: Dim, high: float = 1.0) -> Input:
    """Describe an input of numbers."""
    return Input(name=name, dtype=DType.FLOAT32, shape=shape, range=(0.0, high))


def offsets(name: str, of: str, axis: str, *, includes_last: bool = False) -> Input:
    """Describe the starts of bags."""
    return Input(
        name=name, dtype=DType.INT64, shape=(axis,), offsets=of, includes_last=includes_last
    )


_BATCH = {"batch": Axis(max=4096)}
_FOURS = Axis(min=4, max=256, multiple_of=4)
_SEQUENCE = {**_BATCH, "length": Axis(max=64)}
_BAGS = {"bags": Axis(max=4096), "total": Axis(min=0, max=1 << 16)}
_BAG_INPUTS = (offsets("offsets", "ids", "bags"),)


def _bag(**options: object) -> Model:
    return Model(
        build=lambda: bags.Bag(**options),
        inputs=(ids("ids", "total"), offsets("offsets", "ids", "bags")),
        axes=_BAGS,
        lookups=1,
        tables=1,
    )


MODELS: dict[str, Model] = {
    "dlrm": Model(
        build=recommenders.Dlrm,
        inputs=(
            ids("user", "batch"),
            ids("tags", "batch", "length"),
            numbers("numbers", "batch", 4),
        ),
        axes=_SEQUENCE,
        lookups=2,
        tables=2,
    ),
    "wide_deep": Model(
        build=recommenders.WideDeep,
        inputs=(
            Input(
                name="ids",
                dtype=DType.INT64,
                shape=("batch", 3),
                ids=Ids(cardinality=(1100, 1300, 20)),
            ),
            numbers("numbers", "batch", 3),
        ),
        axes=_BATCH,
        lookups=4,
        tables=4,
        kept=("small", "small"),
        computed=True,
    ),
    "deepfm": Model(
        build=recommenders.DeepFm,
        inputs=(
            Input(
                name="ids",
                dtype=DType.INT64,
                shape=("batch", 3),
                ids=Ids(cardinality=(700, 500, 30)),
            ),
        ),
        axes=_BATCH,
        lookups=2,
        tables=2,
        computed=True,
    ),
    "din": Model(
        build=recommenders.Din,
        inputs=(
            ids("history", "batch", "length", rows=1500, padding=0),
            ids("item", "batch", rows=1500),
        ),
        axes=_SEQUENCE,
        lookups=2,
        tables=1,
    ),
    "two_tower": Model(
        build=recommenders.TwoTower,
        inputs=(ids("user", "batch", rows=1500), ids("item", "batch", rows=1500)),
        axes=_BATCH,
        lookups=2,
        tables=1,
    ),
    "pairwise": Model(
        build=recommenders.PairwiseProducts,
        inputs=(ids("ids", "batch", 4),),
        axes=_BATCH,
        lookups=1,
        tables=1,
    ),
    "bag_sum": _bag(mode="sum"),
    "bag_mean": _bag(mode="mean"),
    "bag_max": _bag(mode="max"),
    "bag_padding": _bag(mode="mean", padding_idx=3),
    "bag_padding_from_end": _bag(mode="sum", padding_idx=-2),
    "bag_includes_last": Model(
        build=lambda: bags.BagBesideNumbers(mode="sum", include_last_offset=True),
        inputs=(
            ids("ids", "total"),
            offsets("offsets", "ids", "ends", includes_last=True),
            numbers("numbers", "bags", 3),
        ),
        axes={**_BAGS, "ends": Axis(min=2, max=4097)},
        lookups=1,
        tables=1,
        follows={"ends": ("bags", 1)},
    ),
    "bag_ends_alone": Model(
        build=lambda: bags.Bag(mode="mean", include_last_offset=True),
        inputs=(ids("ids", "total"), offsets("offsets", "ids", "ends", includes_last=True)),
        axes={"total": _BAGS["total"], "ends": Axis(min=3, max=4097)},
        lookups=1,
        tables=1,
    ),
    "bag_2d": Model(
        build=lambda: bags.Bag2d(mode="mean", padding_idx=0),
        inputs=(ids("ids", "batch", "length", padding=0),),
        axes=_SEQUENCE,
        lookups=1,
        tables=1,
    ),
    "bag_weighted": Model(
        build=lambda: bags.WeightedBag(mode="sum"),
        inputs=(ids("ids", "total"), *_BAG_INPUTS, numbers("weights", "total")),
        axes=_BAGS,
        lookups=1,
        tables=1,
    ),
    "bag_weighted_2d": Model(
        build=lambda: bags.WeightedBag2d(mode="sum"),
        inputs=(ids("ids", "batch", "length"), numbers("weights", "batch", "length")),
        axes=_SEQUENCE,
        lookups=1,
        tables=1,
        computed=True,
    ),
    "functional": Model(
        build=odd_lookups.Functional,
        inputs=(ids("ids", "batch"),),
        axes=_BATCH,
        lookups=3,
        tables=3,
        computed=True,
    ),
    "ranks": Model(
        build=odd_lookups.Ranks,
        inputs=(ids("ids", "batch"),),
        axes=_BATCH,
        lookups=3,
        tables=3,
        computed=True,
    ),
    "hashed": Model(
        build=odd_lookups.Hashed,
        inputs=(ids("ids", "batch", "length", rows=1 << 40),),
        axes=_SEQUENCE,
        lookups=2,
        tables=2,
        computed=True,
    ),
    "salted": Model(
        build=odd_lookups.Salted,
        inputs=(ids("words", "batch", "length"),),
        axes=_SEQUENCE,
        lookups=1,
        tables=1,
        kept=("small",),
        computed=True,
    ),
    "bare": Model(
        build=odd_lookups.Bare,
        inputs=(ids("ids", "batch"), numbers("unused", "batch")),
        axes=_BATCH,
        lookups=1,
        tables=1,
    ),
    "in_place": Model(
        build=odd_lookups.InPlace,
        inputs=(ids("ids", "batch", rows=1000),),
        axes=_BATCH,
        lookups=1,
        tables=1,
        computed=True,
    ),
    "float_ids": Model(
        build=odd_lookups.FloatIds,
        inputs=(numbers("features", "batch", 4, high=1000.0),),
        axes=_BATCH,
        lookups=1,
        tables=1,
        computed=True,
    ),
    "expression": Model(
        build=odd_lookups.Expression,
        inputs=(ids("ids", "batch"),),
        axes=_BATCH,
        lookups=2,
        tables=2,
    ),
    "propagated": Model(
        build=recommenders.Propagated,
        inputs=(ids("user", "batch", rows=600), ids("item", "batch", rows=600)),
        axes=_BATCH,
        lookups=2,
        tables=2,
        computed=True,
        options=SplitOptions(min_rows=500),
    ),
    "shortened": Model(
        build=odd_lookups.Shortened,
        inputs=(ids("ids", "batch"), ids("tags", "batch", "length"), ids("kind", "batch", rows=20)),
        axes=_SEQUENCE,
        lookups=2,
        tables=2,
        kept=("small",),
    ),
    "tied": Model(
        build=odd_lookups.Tied,
        inputs=(ids("ids", "batch", "length"),),
        axes=_SEQUENCE,
        lookups=1,
        tables=1,
        kept=("also used densely by linear",),
    ),
    "positions": Model(
        build=odd_lookups.Positions,
        inputs=(ids("words", "batch", "length"),),
        axes=_SEQUENCE,
        lookups=1,
        tables=1,
        kept=("its ids are positions or constants",),
    ),
    "chained": Model(
        build=odd_lookups.Chained,
        inputs=(ids("user", "batch"),),
        axes=_BATCH,
        lookups=2,
        tables=2,
    ),
    "hops": Model(
        build=odd_lookups.Hops,
        inputs=(ids("user", "batch"), numbers("numbers", "batch", 4)),
        axes=_BATCH,
        lookups=5,
        tables=4,
    ),
    "neighbours": Model(
        build=odd_lookups.Neighbours,
        inputs=(ids("node", "batch", "length"),),
        axes=_SEQUENCE,
        lookups=3,
        tables=2,
    ),
    "nearest": Model(
        build=odd_lookups.Nearest,
        inputs=(ids("item", "batch"),),
        axes=_BATCH,
        lookups=1,
        tables=1,
        kept=("come from the vectors of another lookup",),
    ),
    "codebook": Model(
        build=odd_lookups.Codebook,
        inputs=(numbers("numbers", "batch", 4),),
        axes=_BATCH,
        lookups=0,
        tables=0,
        kept=("are computed from the parameter choose.",),
    ),
    "branches": Model(
        build=odd_lookups.Branches,
        inputs=(ids("ids", "batch"),),
        axes=_BATCH,
        lookups=1,
        tables=1,
        kept=("inside control flow (cond)",),
    ),
    "gathered": Model(
        build=odd_lookups.Gathered,
        inputs=(ids("ids", "batch", 8),),
        axes=_BATCH,
        lookups=0,
        tables=0,
        kept=("the job keeps it",),
        options=SplitOptions(keep=("weight",)),
    ),
    "bert": Model(
        build=encoders.Bert,
        inputs=(ids("words", "batch", "length", padding=0),),
        axes=_SEQUENCE,
        lookups=1,
        tables=1,
        kept=("small",),
    ),
    "recurrent": Model(
        build=encoders.Recurrent,
        inputs=(ids("items", "batch", "length"),),
        axes=_SEQUENCE,
        lookups=1,
        tables=1,
    ),
    "picture": Model(
        build=encoders.Picture,
        inputs=(numbers("picture", "batch", 3, 16, 16),),
        axes=_BATCH,
        lookups=0,
        tables=0,
    ),
    "pyramid": Model(
        build=encoders.Pyramid,
        inputs=(numbers("picture", "batch", 2, "height", "width"),),
        axes={**_BATCH, "height": _FOURS, "width": _FOURS},
        lookups=0,
        tables=0,
    ),
}
