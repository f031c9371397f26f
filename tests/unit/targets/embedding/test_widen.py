"""Lookups of rows in a narrower format: torch's answers over the rows that were stored."""

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from torch.nn import functional

from converters.tables import write_table
from registry.composition import Lookup, Origin, Table
from registry.errors import IntegrityError
from registry.progress import silent
from targets.embedding.lookups import look_up
from targets.embedding.tables import open_table

ROWS, DIM = 700, 12
VALUES = np.random.default_rng(2).standard_normal((ROWS, DIM)).astype(np.float32) / 3


def stored_values(rows_as):
    """What torch takes the stored rows for."""
    rows = torch.from_numpy(VALUES)
    if rows_as == "f16":
        return rows.half().float()
    packed = torch.ops.quantized.embedding_bag_byte_prepack(rows).numpy()
    scales = np.ascontiguousarray(packed[:, DIM:]).view(np.float32)
    return torch.from_numpy(packed[:, :DIM] * scales[:, :1] + scales[:, 1:])


def written(folder, rows_as, shard_bytes=1 << 20):
    save_file({"rows": VALUES}, folder / "origin.safetensors")
    table = Table(
        name="emb", rows=ROWS, dim=DIM, dtype="float32", keys=("emb.weight",), rows_as=rows_as
    )
    origin = Origin(table="emb", file="origin.safetensors", key="rows")
    return write_table(table, origin, folder, folder, shard_bytes, silent).table


@pytest.fixture(params=["f16", "i8"])
def rows_as(request):
    return request.param


@pytest.fixture(params=[1 << 20, 1 << 12, 1000], ids=["whole", "pages", "pieces"])
def table(request, rows_as, tmp_path):
    made = written(tmp_path, rows_as, request.param)
    assert (len(made.shards) > 1) is (request.param < 1 << 20)
    with open_table(made, tmp_path) as opened:
        yield opened


def lookup(kind="bag", **fields):
    given = {"output": "vectors", "table": "emb", "kind": kind, "ids": "ids", "dtype": "float32"}
    return Lookup.model_validate(given | fields)


def test_an_embedding_gives_the_stored_rows_in_f32(table, rows_as):
    ids = np.random.default_rng(0).integers(0, ROWS, (9, 5))
    found = look_up(lookup("embedding"), table, {"ids": ids})
    assert found.dtype == np.float32
    assert np.array_equal(found, stored_values(rows_as).numpy()[ids])


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_add_up_in_f32(table, rows_as, mode):
    lengths = np.array([3, 0, 900, 1, 1, 40, 0])
    ids = np.random.default_rng(0).integers(0, ROWS, lengths.sum())
    offsets = np.cumsum(lengths) - lengths
    found = look_up(lookup(mode=mode, offsets="offsets"), table, {"ids": ids, "offsets": offsets})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids), stored_values(rows_as), torch.from_numpy(offsets), mode=mode
    )
    assert np.array_equal(found, wanted.numpy())


def test_weights_are_not_rounded_to_the_format(table, rows_as):
    random = np.random.default_rng(0)
    ids, weights = random.integers(0, ROWS, (30, 7)), random.random((30, 7), np.float32)
    found = look_up(lookup(mode="sum", weights="weights"), table, {"ids": ids, "weights": weights})
    wanted = functional.embedding_bag(
        torch.from_numpy(ids),
        stored_values(rows_as),
        mode="sum",
        per_sample_weights=torch.from_numpy(weights),
    )
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


def test_unknown_ids_and_narrow_rows_go_together(rows_as, tmp_path):
    made = written(tmp_path, rows_as, 1000).model_copy(update={"unknown": "zero"})
    with open_table(made, tmp_path) as opened:
        found = look_up(lookup("embedding"), opened, {"ids": np.array([-1, ROWS, 3])})
    assert np.array_equal(found[:2], np.zeros((2, DIM), np.float32))
    assert np.array_equal(found[2], stored_values(rows_as)[3].numpy())


def test_a_table_that_says_another_format_than_its_files_is_refused(rows_as, tmp_path):
    made = written(tmp_path, rows_as)
    for other in {"f32", "f16", "i8"} - {rows_as}:
        with pytest.raises(IntegrityError, match="its header is"):
            open_table(made.model_copy(update={"rows_as": other}), tmp_path)
