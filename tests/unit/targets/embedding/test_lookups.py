"""Lookups give torch's answers, to the bit, and refuse what torch refuses."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as write_torch
from torch.nn import functional

from registry.composition import Lookup, Shard, Table
from registry.errors import InputError
from registry.signature import DType
from targets.embedding.lookups import look_up
from targets.embedding.tables import MappedTable, open_table

ROWS = 50
RNG = np.random.default_rng(7)


@pytest.fixture(params=[(16, 50), (1, 50), (3, 8), (64, 13)], ids=lambda p: f"dim{p[0]}")
def table(request, tmp_path) -> Iterator[MappedTable]:
    dim, shard_rows = request.param
    values = RNG.standard_normal((ROWS, dim)).astype(np.float32)
    values[7] = 0.0
    shards = []
    for start in range(0, ROWS, shard_rows):
        part = np.ascontiguousarray(values[start : start + shard_rows])
        save_file({"rows": part}, tmp_path / f"{start}.safetensors")
        shards.append(Shard(file=f"{start}.safetensors", start=start, rows=len(part)))
    made = Table(
        name="emb",
        rows=ROWS,
        dim=dim,
        dtype=DType.FLOAT32,
        keys=("emb.weight",),
        shards=tuple(shards),
    )
    with open_table(made, tmp_path) as opened:
        yield opened


def rows(table: MappedTable) -> torch.Tensor:
    out = np.empty((ROWS, table.dim), np.float32)
    table.take(np.arange(ROWS), out)
    return torch.from_numpy(out)


def lookup(**fields: object) -> Lookup:
    given: dict[str, object] = {
        "output": "vectors",
        "table": "emb",
        "kind": "bag",
        "mode": "sum",
        "ids": "ids",
        "dtype": DType.FLOAT32,
    }
    return Lookup.model_validate(given | fields)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (17,), (4, 3), (0, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_an_embedding_gives_the_rows_that_torch_gives(table, shape, dtype):
    ids = np.asarray(RNG.integers(0, ROWS, shape), dtype=dtype)
    found = look_up(lookup(kind="embedding", mode=None), table, {"ids": ids})
    assert np.array_equal(found, functional.embedding(torch.from_numpy(ids), rows(table)).numpy())


def test_an_embedding_returns_the_stored_row_for_the_padding_id(table):
    ids = np.array([3, 0, 3])
    found = look_up(lookup(kind="embedding", mode=None, padding=3), table, {"ids": ids})
    assert np.array_equal(found, rows(table).numpy()[ids])


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 3])
@pytest.mark.parametrize("shape", [(1, 1), (5, 2), (4, 20), (0, 4), (700, 3), (2, 500)])
def test_two_axes_of_ids_are_one_bag_a_row(table, mode, padding, shape):
    ids = RNG.integers(0, ROWS, shape)
    ids[ids % 4 == 1] = 3
    found = look_up(lookup(mode=mode, padding=padding), table, {"ids": ids})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids), rows(table), mode=mode, padding_idx=padding
    )
    assert np.array_equal(found, wanted.numpy())


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 3])
@pytest.mark.parametrize("dim", [1, 5, 64])
def test_bags_of_bfloat16_are_rounded_as_torch_rounds_them(tmp_path, mode, padding, dim):
    stored = torch.from_numpy(RNG.standard_normal((ROWS, dim))).bfloat16()
    write_torch({"rows": stored}, tmp_path / "0.safetensors")
    made = Table(
        name="emb",
        rows=ROWS,
        dim=dim,
        dtype=DType.BFLOAT16,
        keys=("emb",),
        shards=(Shard(file="0.safetensors", start=0, rows=ROWS),),
    )
    ids, offsets = RNG.integers(0, ROWS, 700), np.array([0, 3, 3, 5, 50, 400, 401])
    asked = lookup(mode=mode, offsets="offsets", padding=padding)
    with open_table(made, tmp_path) as opened:
        found = look_up(asked, opened, {"ids": ids, "offsets": offsets})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids),
        stored,
        torch.from_numpy(offsets),
        mode=mode,
        padding_idx=padding,
    )
    assert found.dtype == np.float32
    assert np.array_equal(found, wanted.float().numpy())


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_bags_of_half_precision_rows_are_added_in_single_precision(tmp_path, mode, dtype):
    """Whether the model widens the rows first, or its bags answer in half precision."""
    stored = RNG.standard_normal((ROWS, 5)).astype(np.float16)
    save_file({"rows": stored}, tmp_path / "0.safetensors")
    made = Table(
        name="emb",
        rows=ROWS,
        dim=5,
        dtype=DType.FLOAT16,
        keys=("emb",),
        shards=(Shard(file="0.safetensors", start=0, rows=ROWS),),
    )
    ids, offsets = RNG.integers(0, ROWS, 60), np.array([0, 3, 3, 50])
    asked = lookup(mode=mode, offsets="offsets", dtype=str(dtype).removeprefix("torch."))
    with open_table(made, tmp_path) as opened:
        found = look_up(asked, opened, {"ids": ids, "offsets": offsets})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids),
        torch.from_numpy(stored).to(dtype),
        torch.from_numpy(offsets),
        mode=mode,
    )
    assert np.array_equal(found, wanted.numpy())


def test_no_bags_give_no_vectors(table):
    arrays = {"ids": np.arange(5), "offsets": np.zeros(0, np.int64)}
    assert look_up(lookup(offsets="offsets"), table, arrays).shape == (0, table.dim)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_no_ids_are_zeros(table, mode):
    found = look_up(lookup(mode=mode), table, {"ids": np.zeros((3, 0), np.int64)})
    assert np.array_equal(found, np.zeros((3, table.dim), np.float32))


OFFSETS = {
    "empty first, middle and last": [0, 0, 4, 4, 4, 9, 30],
    "all empty": [0, 0, 0],
    "one long bag": [0],
    "one bag of almost all": [0, 1, 2],
    "many": list(range(0, 30, 2)),
}


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 3])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("offsets", OFFSETS.values(), ids=OFFSETS)
def test_offsets_cut_one_axis_of_ids_into_bags(table, mode, padding, last, offsets):
    total = 0 if offsets == [0, 0, 0] else 30
    ids = RNG.integers(0, ROWS, total)
    ids[9:] = np.where(ids[9:] % 3 == 0, 3, ids[9:])
    ids[4:9] = 3
    cuts = np.array([*offsets, total] if last else offsets)
    given = lookup(mode=mode, padding=padding, offsets="offsets", includes_last=last)
    found = look_up(given, table, {"ids": ids, "offsets": cuts})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids),
        rows(table),
        torch.from_numpy(cuts),
        mode=mode,
        padding_idx=padding,
        include_last_offset=last,
    )
    assert np.array_equal(found, wanted.numpy())
    assert not np.signbit(found[found == 0]).any()


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_very_different_lengths_equal_torch(table, mode):
    lengths = np.array([0, 3000, 1, 2, 0, 5, 700, 1, 1, 1, 40, 2, 2, 3, 9, 0])
    ids = RNG.integers(0, ROWS, lengths.sum())
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    given = lookup(mode=mode, offsets="offsets")
    found = look_up(given, table, {"ids": ids, "offsets": offsets})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids), rows(table), torch.from_numpy(offsets), mode=mode
    )
    assert np.array_equal(found, wanted.numpy())


@pytest.mark.parametrize("padding", [None, 3])
def test_weighted_bags_are_within_two_units_in_the_last_place(table, padding):
    positive = rows(table).abs()
    ids = RNG.integers(0, ROWS, (40, 9))
    weights = RNG.random((40, 9), dtype=np.float32)
    given = lookup(weights="weights", padding=padding)
    found = look_up(given, _Positive(table), {"ids": ids, "weights": weights})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids),
        positive,
        mode="sum",
        per_sample_weights=torch.from_numpy(weights),
        padding_idx=padding,
    ).numpy()
    # One rounding a row more than torch's fused multiply-add has.
    assert (np.abs(found - wanted) <= 2 * np.spacing(np.abs(wanted))).mean() > 0.99
    np.testing.assert_allclose(found, wanted, rtol=5e-7)


class _Positive(MappedTable):
    """The same table without signs, so that nothing cancels."""

    def __init__(self, table: MappedTable) -> None:
        self.__dict__.update(table.__dict__)
        self._parts = [np.abs(part) for part in table._parts]


@pytest.mark.parametrize("wrong", [-1, ROWS, 2**31, -(2**63), 2**63 - 1])
@pytest.mark.parametrize("kind", ["embedding", "bag"])
def test_an_id_outside_the_table_is_named_with_its_place(table, wrong, kind):
    ids = np.zeros((3, 4), dtype=np.int64)
    ids[1, 2] = wrong
    with pytest.raises(InputError) as caught:
        look_up(lookup(kind=kind, mode="sum"), table, {"ids": ids})
    assert f"ids[1, 2]: id {wrong} is not in table emb" in str(caught.value)
    assert "from 0 to 49 (1 of 12 ids are outside)" in str(caught.value)


def test_a_negative_int32_id_is_refused(table):
    with pytest.raises(InputError, match=r"ids\[0\]: id -5"):
        look_up(lookup(kind="embedding"), table, {"ids": np.array([-5], dtype=np.int32)})


@pytest.mark.parametrize("dtype", [np.float32, np.uint64, np.int16, np.bool_])
def test_ids_of_another_dtype_are_refused(table, dtype):
    with pytest.raises(InputError, match="have to be int32 or int64"):
        look_up(lookup(kind="embedding"), table, {"ids": np.zeros(3, dtype)})


@pytest.mark.parametrize(
    ("offsets", "last", "fault"),
    [
        ([1, 3], False, r"offsets\[0\]: is 1; the first bag has to start at 0"),
        ([0, 3, 2], False, r"offsets\[2\]: is 2; offsets must not fall"),
        ([0, 7], False, r"offsets\[1\]: is 7; .* nor pass the 6 ids of ids"),
        ([0, 3, 7], True, r"offsets\[2\]: is 7; .* nor pass the 6 ids of ids"),
        ([0, 3, 5], True, r"offsets\[2\]: is 5; the last entry has to be 6, the number of ids of"),
        ([2], True, r"offsets\[0\]: is 2; the last entry has to be 6"),
        ([], True, "is empty"),
        ([[0]], False, "of one axis"),
        ([0.0], False, "int32 or int64"),
    ],
)
def test_offsets_that_cut_no_bags_are_refused(table, offsets, last, fault):
    given = lookup(offsets="offsets", includes_last=last)
    cuts = np.array(offsets) if offsets else np.zeros(0, np.int64)
    with pytest.raises(InputError, match=fault):
        look_up(given, table, {"ids": np.arange(6), "offsets": cuts})


@pytest.mark.parametrize("shape", [(), (6,), (1, 2, 3)])
def test_bags_without_offsets_need_two_axes(table, shape):
    with pytest.raises(InputError, match="are 2-D"):
        look_up(lookup(), table, {"ids": np.zeros(shape, np.int64)})


def test_weights_of_another_shape_are_refused(table):
    arrays = {"ids": np.zeros((2, 3), np.int64), "weights": np.zeros((2, 2), np.float32)}
    with pytest.raises(InputError, match="which it weighs"):
        look_up(lookup(weights="weights"), table, arrays)


def test_ids_need_not_be_contiguous(table):
    ids = RNG.integers(0, ROWS, (6, 8))[::2, ::3]
    found = look_up(lookup(kind="embedding"), table, {"ids": ids})
    assert np.array_equal(found, rows(table).numpy()[ids])
