import pytest

from converters.shard_size import SMALLEST, shard_size

MB, GB = 1 << 20, 1 << 30


@pytest.mark.parametrize("table", [256 * MB, 300 * MB, GB, 7 * GB])
def test_a_change_of_one_percent_in_a_row_is_about_one_percent_of_the_shards(table):
    size = shard_size(table, table, 64 * MB)
    touched = (table // 100) // size + 2
    assert touched * size / table < 0.025


def test_a_table_that_grows_keeps_its_cuts_until_it_has_doubled():
    assert {shard_size(part * 100 * MB, 10 * GB, 64 * MB) for part in (6, 7, 8, 9, 10)} == {4 * MB}


def test_small_tables_have_few_shards():
    assert shard_size(1000, 1000, 64 * MB) == SMALLEST
    assert shard_size(30 * MB, 30 * MB, 64 * MB) == SMALLEST


def test_what_the_job_says_is_the_limit():
    assert shard_size(100 * GB, 100 * GB, 64 * MB) == 64 * MB
    assert shard_size(GB, GB, 4096) == 4096


def test_a_model_of_many_tables_stays_below_the_number_of_maps_of_a_process():
    tables = 1000
    size = shard_size(GB, tables * GB, 1 << 40)
    assert tables * GB / size <= 16_384
