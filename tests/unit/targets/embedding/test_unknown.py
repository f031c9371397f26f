"""What ids give that are no rows: an error, zeros, a row, or the row of their remainder."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from registry.composition import Lookup
from registry.errors import InputError
from targets.embedding.lookups import look_up
from targets.embedding.tables import open_table
from tests.compositions import write_table

ROWS, DIM, DEFAULT = 40, 6, 5
VALUES = np.random.default_rng(4).standard_normal((ROWS, DIM)).astype(np.float32)
HOSTILE = np.array([[3, -1, 39], [40, 2**62, 7], [-(2**63), 2**63 - 1, 5], [0, 1, 2]])
#: Of rows with one of zeros behind them: what an id stands for.
STANDS_FOR = {
    "zero": lambda ids: np.where((ids < 0) | (ids >= ROWS), ROWS, ids),
    "row": lambda ids: np.where((ids < 0) | (ids >= ROWS), DEFAULT, ids),
    "modulo": lambda ids: ids % ROWS,
}


@pytest.fixture(params=[ROWS, 16], ids=["one shard", "three shards"])
def opened(request, tmp_path):
    table = write_table(tmp_path, "emb", VALUES, request.param)

    def give(unknown):
        row = DEFAULT if unknown == "row" else None
        fields = {"unknown": unknown, "default_row": row}
        return open_table(table.model_copy(update=fields), tmp_path)

    return give


def wanted_rows(unknown, ids):
    return torch.from_numpy(STANDS_FOR[unknown](ids)), torch.from_numpy(
        np.concatenate([VALUES, np.zeros((1, DIM), np.float32)])
    )


def lookup(kind="bag", **fields):
    given = {"output": "vectors", "table": "emb", "kind": kind, "ids": "ids", "dtype": "float32"}
    return Lookup.model_validate(given | fields)


@pytest.mark.parametrize("unknown", STANDS_FOR)
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_an_embedding_gives_what_the_table_says(opened, unknown, dtype):
    ids = HOSTILE if dtype is np.int64 else np.array([[-1, 39], [2**31 - 1, -(2**31)]], dtype)
    known, rows = wanted_rows(unknown, ids.astype(np.int64))
    found = look_up(lookup("embedding"), opened(unknown), {"ids": ids})
    assert np.array_equal(found, rows[known].numpy())


@pytest.mark.parametrize("unknown", STANDS_FOR)
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, DEFAULT, 39])
def test_a_bag_counts_an_unknown_id_like_any_other(opened, unknown, mode, padding):
    known, rows = wanted_rows(unknown, HOSTILE)
    found = look_up(lookup(mode=mode, padding=padding), opened(unknown), {"ids": HOSTILE})
    wanted = functional.embedding_bag(known, rows, mode=mode, padding_idx=padding)
    assert np.array_equal(found, wanted.numpy())


@pytest.mark.parametrize("unknown", STANDS_FOR)
def test_bags_of_any_length_and_weight_do_too(opened, unknown):
    random = np.random.default_rng(6)
    lengths = np.array([0, 300, 1, 2, 0, 57])
    ids = random.integers(-ROWS, 2 * ROWS, lengths.sum())
    arrays = {
        "ids": ids,
        "offsets": np.cumsum(lengths) - lengths,
        "weights": random.random(ids.size, np.float32),
    }
    known, rows = wanted_rows(unknown, ids)
    given = lookup(mode="sum", offsets="offsets", weights="weights")
    wanted = functional.embedding_bag(
        known,
        rows,
        torch.from_numpy(arrays["offsets"]),
        mode="sum",
        per_sample_weights=torch.from_numpy(arrays["weights"]),
    )
    np.testing.assert_allclose(look_up(given, opened(unknown), arrays), wanted, 1e-5, 1e-5)


@pytest.mark.parametrize("kind", ["embedding", "bag"])
def test_an_error_is_what_a_table_gives_that_says_nothing(opened, kind):
    with pytest.raises(InputError, match=r"ids\[0, 1\]: id -1 is not in table emb.*\(5 of 12"):
        look_up(lookup(kind, mode="sum"), opened("error"), {"ids": HOSTILE})


@pytest.mark.parametrize("unknown", STANDS_FOR)
def test_known_ids_are_not_touched(opened, unknown):
    ids = np.arange(ROWS)[::-1].reshape(4, 10)
    found = look_up(lookup("embedding"), opened(unknown), {"ids": ids})
    assert np.array_equal(found, VALUES[ids])


@pytest.mark.parametrize("unknown", STANDS_FOR)
def test_the_table_gives_no_zeros_to_the_next_request(opened, unknown):
    table = opened(unknown)
    look_up(lookup("embedding"), table, {"ids": HOSTILE})
    found = look_up(lookup("embedding"), table, {"ids": np.array([ROWS - 1])})
    assert np.array_equal(found, VALUES[-1:])
