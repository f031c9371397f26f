import errno
import os
import resource
import tracemalloc

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from safetensors.torch import load_file as load_torch
from safetensors.torch import save_file

from converters.checkpoints.checkpoint import open_checkpoint
from converters.checkpoints.safetensors_file import header
from converters.narrow_rows import narrow
from converters.tables import write_table
from registry.composition import Table
from registry.digest import digest_file
from registry.errors import ResourceError, SourceError
from registry.progress import silent


def table_of(weight, tmp_path, name="emb.weight"):
    save_file({name: weight}, tmp_path / "w.safetensors")
    origin = open_checkpoint(tmp_path / "w.safetensors").find_origin(name)
    dtype = str(weight.dtype).removeprefix("torch.")
    rows, dim = weight.shape
    return Table(name=name, rows=rows, dim=dim, dtype=dtype, keys=(name,)), origin


def write(table, origin, tmp_path, shard_bytes=1 << 12, progress=silent):
    return write_table(table, origin, tmp_path, tmp_path / "out", shard_bytes, progress).table


def test_shards_hold_the_rows_in_order_without_gaps(tmp_path):
    weight = torch.randn(1001, 16)
    table = write(*table_of(weight, tmp_path), tmp_path)
    assert [shard.start for shard in table.shards] == list(range(0, 1001, 64))
    assert table.shards[0].file == "tables/emb.weight/000000.safetensors"
    parts = [load_file(tmp_path / "out" / shard.file)["rows"] for shard in table.shards]
    assert [len(part) for part in parts] == [shard.rows for shard in table.shards]
    assert np.array_equal(np.concatenate(parts), weight.numpy())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int8])
def test_rows_keep_their_bytes_whatever_their_type(dtype, tmp_path):
    weight = torch.arange(60).reshape(20, 3).to(dtype)
    table = write(*table_of(weight, tmp_path), tmp_path, shard_bytes=1 << 20)
    (shard,) = table.shards
    assert torch.equal(load_torch(tmp_path / "out" / shard.file)["rows"], weight)


def test_a_row_longer_than_a_shard_still_goes_in(tmp_path):
    table = write(*table_of(torch.randn(3, 4096), tmp_path), tmp_path)
    assert len(table.shards) == 3


@pytest.mark.parametrize("dim", [8, 25, 64])
def test_data_fill_whole_pages_so_that_shards_can_be_mapped_side_by_side(dim, tmp_path):
    weight = torch.randn(5000, dim)
    table = write(*table_of(weight, tmp_path), tmp_path, shard_bytes=1 << 17)
    assert len(table.shards) > 1
    for shard in table.shards:
        data = (tmp_path / "out" / shard.file).read_bytes()
        assert (8 + int.from_bytes(data[:8], "little")) % 4096 == 0
        assert shard is table.shards[-1] or len(data) % 4096 == 0


def test_shards_are_hashed_as_they_are_written(tmp_path):
    table, origin = table_of(torch.randn(1000, 16), tmp_path)
    written = write_table(table, origin, tmp_path, tmp_path / "out", 1 << 12, silent)
    assert len(written.files) == 16
    for name, file in written.files.items():
        assert file == digest_file(tmp_path / "out" / name)


def test_rows_of_a_torch_checkpoint_are_read_where_they_lie(tmp_path):
    weight = torch.randn(50, 4)
    torch.save({"pad": torch.ones(3), "t": weight}, tmp_path / "w.pt")
    origin = open_checkpoint(tmp_path / "w.pt").find_origin("t")
    table = Table(name="t", rows=50, dim=4, dtype="float32", keys=("t",))
    (shard,) = write(table, origin, tmp_path).shards
    assert np.array_equal(load_file(tmp_path / "out" / shard.file)["rows"], weight.numpy())


def test_progress_counts_up_to_the_tables_bytes(tmp_path):
    seen = []
    write(*table_of(torch.randn(100, 64), tmp_path), tmp_path, progress=lambda *a: seen.append(a))
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert seen[-1] == (25600, 25600, "bytes")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_row_that_is_not_numbers_is_named(dtype, value, tmp_path):
    weight = torch.ones(1000, 16, dtype=dtype)
    weight[777, 3] = value
    said = "table emb.weight: row 777 holds (NaN|infinity)"
    with pytest.raises(SourceError, match=said):
        write(*table_of(weight, tmp_path), tmp_path)


@pytest.mark.parametrize("rows_as", ["f16", "i8"])
def test_narrow_rows_are_whole_whatever_is_read_at_once(rows_as, tmp_path, monkeypatch):
    weight = torch.randn(101, 5)
    table, origin = table_of(weight, tmp_path)
    table = table.model_copy(update={"rows_as": rows_as})
    monkeypatch.setattr("converters.checkpoints.stored.CHUNK", 64)
    written = write_table(table, origin, tmp_path, tmp_path / "out", 300, silent)
    assert len(written.files) > 1
    for name, file in written.files.items():
        assert file == digest_file(tmp_path / "out" / name)
    parts = [load_file(tmp_path / "out" / shard.file)["rows"] for shard in written.table.shards]
    assert np.array_equal(np.concatenate(parts), narrow(weight.numpy(), rows_as))


@pytest.mark.parametrize(("rows_as", "big"), [("f16", 1e5), ("i8", 3e38)])
def test_a_row_too_big_for_its_format_is_named(rows_as, big, tmp_path):
    weight = torch.ones(1000, 16)
    weight[777, :2] = torch.tensor([big, -big])
    table, origin = table_of(weight, tmp_path)
    with pytest.raises(SourceError, match=f"row 777 holds numbers that are too big for {rows_as}"):
        write(table.model_copy(update={"rows_as": rows_as}), origin, tmp_path)


def test_a_checkpoint_that_changed_since_the_split_is_refused(tmp_path):
    table, origin = table_of(torch.ones(10, 4), tmp_path)
    save_file({"emb.weight": torch.ones(11, 4)}, tmp_path / "w.safetensors")
    with pytest.raises(SourceError, match=r"now holds float32\[11, 4\].*run again"):
        write(table, origin, tmp_path)
    save_file({"other": torch.ones(11, 4)}, tmp_path / "w.safetensors")
    with pytest.raises(SourceError, match=r"has no 'emb\.weight' any more"):
        write(table, origin, tmp_path)


def test_a_table_bigger_than_the_disk_is_refused_before_it_is_written(tmp_path):
    table, origin = table_of(torch.ones(10, 4), tmp_path)
    free = os.statvfs(tmp_path)
    rows = free.f_bavail * free.f_frsize // 16 + 10**9
    sparse = tmp_path / "w.safetensors"
    head = header("emb.weight", table.dtype, (rows, 4), rows * 16)
    sparse.write_bytes(head)
    os.truncate(sparse, len(head) + rows * 16)
    with pytest.raises(ResourceError, match="MB free"):
        write(table.model_copy(update={"rows": rows}), origin, tmp_path)


def test_a_disk_that_fills_up_is_told_and_leaves_no_half_shard(tmp_path):
    table, origin = table_of(torch.ones(4000, 64), tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(ResourceError, match="no room left") as caught:
            write(table, origin, tmp_path, shard_bytes=1 << 20)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.__cause__.errno == errno.EFBIG
    assert list((tmp_path / "out" / "tables" / "emb.weight").iterdir()) == []


def test_memory_does_not_grow_with_the_table(tmp_path):
    table, origin = table_of(torch.ones(400_000, 64), tmp_path)
    tracemalloc.start()
    try:
        write(table, origin, tmp_path, shard_bytes=64 << 20)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0 < peak < 24 << 20
