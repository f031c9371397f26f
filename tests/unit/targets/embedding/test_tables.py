"""Mapped tables: what is read, and files that are refused."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch

from converters.checkpoints.safetensors_file import header
from registry.composition import Shard, Table
from registry.errors import IntegrityError
from registry.signature import DType
from targets.embedding.tables import open_table

ROWS, DIM = 23, 5


def write(folder: Path, values: np.ndarray, shard_rows: int, dtype: DType) -> Table:
    shards = []
    for start in range(0, len(values), shard_rows):
        part = np.ascontiguousarray(values[start : start + shard_rows])
        name = f"{len(shards):06}.safetensors"
        save_file({"rows": part}, folder / name)
        shards.append(Shard(file=name, start=start, rows=len(part)))
    rows, dim = values.shape
    return Table(
        name="emb", rows=rows, dim=dim, dtype=dtype, keys=("emb.weight",), shards=tuple(shards)
    )


@pytest.fixture
def values() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((ROWS, DIM)).astype(np.float32)


def gather(table: Table, folder: Path, ids: np.ndarray) -> np.ndarray:
    with open_table(table, folder) as opened:
        out = np.empty((len(ids), table.dim), opened.dtype)
        opened.take(ids, out)
    return out


@pytest.mark.parametrize("shard_rows", [ROWS, 7, 1])
@pytest.mark.parametrize("count", [0, 1, 200])
def test_rows_come_in_the_order_of_the_ids_whatever_the_shards(tmp_path, values, shard_rows, count):
    table = write(tmp_path, values, shard_rows, DType.FLOAT32)
    ids = np.random.default_rng(1).integers(0, ROWS, count)
    assert np.array_equal(gather(table, tmp_path, ids), values[ids])


@pytest.mark.parametrize("cuts", [(0, 5, 10, ROWS), (0, 9, 12, ROWS), (0, 12, ROWS)])
def test_shards_of_any_sizes_make_up_a_table(tmp_path, values, cuts):
    whole = write(tmp_path, values, ROWS, DType.FLOAT32)
    shards = []
    for start, end in itertools.pairwise(cuts):
        save_file({"rows": values[start:end].copy()}, tmp_path / f"{start}.safetensors")
        shards.append(Shard(file=f"{start}.safetensors", start=start, rows=end - start))
    table = whole.model_copy(update={"shards": tuple(shards)})
    ids = np.random.default_rng(1).integers(0, ROWS, 200)
    assert np.array_equal(gather(table, tmp_path, ids), values[ids])


def test_a_gather_larger_than_one_block_is_whole(tmp_path, values, monkeypatch):
    monkeypatch.setattr("targets.embedding.tables.GATHER_BYTES", 100)
    table = write(tmp_path, values, 4, DType.FLOAT32)
    ids = np.random.default_rng(1).integers(0, ROWS, 101)
    assert np.array_equal(gather(table, tmp_path, ids), values[ids])


@pytest.mark.parametrize("dtype", [DType.FLOAT64, DType.FLOAT16, DType.INT64, DType.UINT8])
def test_other_dtypes_are_read_as_they_are_stored(tmp_path, values, dtype):
    stored = np.abs(values * 10).astype(dtype.value)
    table = write(tmp_path, stored, 9, dtype)
    found = gather(table, tmp_path, np.arange(ROWS))
    assert found.dtype == stored.dtype
    assert np.array_equal(found, stored)


def test_bfloat16_rows_are_widened_exactly(tmp_path, values):
    narrow = torch.from_numpy(values).bfloat16()
    save_torch({"rows": narrow}, tmp_path / "0.safetensors")
    table = write(tmp_path, values, ROWS, DType.BFLOAT16)
    table = table.model_copy(update={"shards": (Shard(file="0.safetensors", start=0, rows=ROWS),)})
    ids = np.array([3, 22, 0, 3])
    assert np.array_equal(gather(table, tmp_path, ids), narrow.float().numpy()[ids])


WIDE = 1024  # one row of float32 fills a page


@pytest.fixture
def wide() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((ROWS, WIDE)).astype(np.float32)


def write_pages(folder: Path, values: np.ndarray, shard_rows: int) -> Table:
    """Write shards as the platform does: their data fill whole pages."""
    table = write(folder, values, shard_rows, DType.FLOAT32)
    for shard in table.shards:
        rows = values[shard.start : shard.start + shard.rows]
        head = header("rows", DType.FLOAT32, rows.shape, rows.nbytes)
        (folder / shard.file).write_bytes(head + rows.tobytes())
    return table


def names_in_memory(folder: Path) -> int:
    return Path("/proc/self/maps").read_text().count(str(folder))


@pytest.mark.parametrize("shard_rows", [1, 7, 22, ROWS])
def test_shards_that_fill_pages_are_one_array(tmp_path, wide, shard_rows):
    table = write_pages(tmp_path, wide, shard_rows)
    ids = np.random.default_rng(1).integers(0, ROWS, 200)
    with open_table(table, tmp_path) as opened:
        assert not opened.scattered
        assert names_in_memory(tmp_path) == len(table.shards)
    assert np.array_equal(gather(table, tmp_path, ids), wide[ids])
    assert names_in_memory(tmp_path) == 0


def test_rows_that_are_still_held_outlive_the_table(tmp_path, wide):
    table = write_pages(tmp_path, wide, 7)
    near = open_table(table, tmp_path)
    rows = near._parts[0][20]
    near.close()
    del near
    assert np.array_equal(rows, wide[20])
    del rows
    assert names_in_memory(tmp_path) == 0


def test_rows_in_memory_cannot_be_written(tmp_path, wide):
    with open_table(write_pages(tmp_path, wide, 7), tmp_path) as opened:
        assert not opened._parts[0].flags.writeable


def test_one_file_of_another_layout_is_read_as_well(tmp_path, wide):
    table = write_pages(tmp_path, wide, 7)
    save_file({"rows": wide[7:14].copy()}, tmp_path / table.shards[1].file)
    with open_table(table, tmp_path) as opened:
        assert opened.scattered
    ids = np.arange(ROWS)[::-1]
    assert np.array_equal(gather(table, tmp_path, ids), wide[ids])


def test_a_damaged_shard_among_others_is_refused_and_nothing_stays_mapped(tmp_path, wide):
    table = write_pages(tmp_path, wide, 7)
    path = tmp_path / table.shards[2].file
    path.write_bytes(path.read_bytes()[:-4096])
    with pytest.raises(IntegrityError, match="bytes, not the"):
        open_table(table, tmp_path)
    assert names_in_memory(tmp_path) == 0


def spoil_header(path: Path, change: dict[str, object]) -> None:
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    header["rows"].update(change)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + length :])


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "F64"},
        {"shape": [ROWS, DIM + 1]},
        {"shape": [DIM, ROWS]},
        {"data_offsets": [4, 4 + 4 * ROWS * DIM]},
        {"data_offsets": [0, 1 << 60]},
    ],
)
def test_a_header_that_says_something_else_is_refused(tmp_path, values, change):
    table = write(tmp_path, values, ROWS, DType.FLOAT32)
    spoil_header(tmp_path / "000000.safetensors", change)
    with pytest.raises(IntegrityError, match="its header is"):
        open_table(table, tmp_path)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "not a safetensors file"),
        (b"abc", "not a safetensors file"),
        ((1 << 62).to_bytes(8, "little") + b"{}", "not a safetensors file"),
        ((8).to_bytes(8, "little") + b"{{{{{{{{", "not JSON"),
        ((2).to_bytes(8, "little") + b"{}", "not aligned"),
        ((8).to_bytes(8, "little") + b"[1]     ", "its header is"),
    ],
)
def test_a_file_that_is_no_shard_is_refused(tmp_path, values, content, fault):
    table = write(tmp_path, values, ROWS, DType.FLOAT32)
    (tmp_path / "000000.safetensors").write_bytes(content)
    with pytest.raises(IntegrityError, match=fault):
        open_table(table, tmp_path)


@pytest.mark.parametrize("extra", [-4, 4])
def test_a_shard_of_the_wrong_size_is_refused(tmp_path, values, extra):
    table = write(tmp_path, values, ROWS, DType.FLOAT32)
    path = tmp_path / "000000.safetensors"
    raw = path.read_bytes()
    path.write_bytes(raw[:extra] if extra < 0 else raw + b"\0" * extra)
    with pytest.raises(IntegrityError, match="bytes, not the"):
        open_table(table, tmp_path)


def test_a_missing_shard_is_named(tmp_path, values):
    table = write(tmp_path, values, 10, DType.FLOAT32)
    (tmp_path / "000001.safetensors").unlink()
    with pytest.raises(IntegrityError, match=r"000001.safetensors: cannot be read"):
        open_table(table, tmp_path)


@pytest.mark.parametrize(
    ("shards", "fault"),
    [
        ((), "hold 0 rows of 23"),
        ((Shard(file="000000.safetensors", start=0, rows=10),), "hold 10 rows of 23"),
        ((Shard(file="000001.safetensors", start=10, rows=13),), "row 0 comes next"),
    ],
)
def test_shards_that_leave_gaps_are_refused(tmp_path, values, shards, fault):
    table = write(tmp_path, values, 10, DType.FLOAT32).model_copy(update={"shards": shards})
    with pytest.raises(IntegrityError, match=fault):
        open_table(table, tmp_path)


def test_a_shard_outside_the_folder_is_refused(tmp_path, values):
    inside = tmp_path / "version"
    inside.mkdir()
    write(tmp_path, values, ROWS, DType.FLOAT32)
    shard = Shard(file="../000000.safetensors", start=0, rows=ROWS)
    table = write(inside, values, ROWS, DType.FLOAT32).model_copy(update={"shards": (shard,)})
    with pytest.raises(IntegrityError, match="outside the version's folder"):
        open_table(table, inside)


def test_closing_unmaps_the_files(tmp_path, values):
    table = write(tmp_path, values, 10, DType.FLOAT32)

    def mapped() -> int:
        return Path("/proc/self/maps").read_text().count(str(tmp_path))

    opened = open_table(table, tmp_path)
    assert mapped() == 3
    opened.close()
    assert mapped() == 0
