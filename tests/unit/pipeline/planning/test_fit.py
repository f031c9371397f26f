"""Work that cannot fit is refused before it starts."""

from dataclasses import replace

import pytest

from pipeline.planning.fit import check_fit
from pipeline.planning.forecast import Forecast, Sizes, forecast
from pipeline.processes import resources
from registry.errors import ResourceError


@pytest.fixture
def plan(lay_out, node):
    return lay_out(node("one"), node("two"))


def expecting(plan, forecast: Forecast):
    return replace(plan, steps=tuple(replace(step, forecast=forecast) for step in plan.steps))


def test_what_fits_is_not_refused(plan):
    check_fit(expecting(plan, Forecast(1, 1, 1.0)))


def test_more_disk_than_there_is(plan):
    with pytest.raises(ResourceError, match=r"needs at least .* of disk"):
        check_fit(expecting(plan, Forecast(1 << 60, 1, 1.0, least=1 << 60)))


def test_more_memory_than_there_is(plan):
    with pytest.raises(ResourceError, match=r"one: took .* of memory the last time"):
        check_fit(expecting(plan, Forecast(1, 1 << 60, 1.0)))


def test_an_estimate_refuses_nothing(plan):
    check_fit(expecting(plan, Forecast(1 << 60, 1 << 60)))


def test_a_model_that_is_bigger_than_the_disk(plan):
    steps = tuple(
        replace(step, task=step.task.model_copy(update={"stage": "split"})) for step in plan.steps
    )
    with pytest.raises(ResourceError, match="of disk"):
        check_fit(replace(plan, steps=steps, size=1 << 60))


def pushing(plan, store):
    """Have a task write more than half of what is free, and another one as much to a store."""
    size = int(resources.free_disk(plan.home) * 0.6)
    one, two = expecting(plan, Forecast(size, 1, least=size)).steps
    push = two.task.model_copy(update={"stage": "push", "options": {"store": str(store)}})
    return replace(plan, steps=(one, replace(two, task=push)))


def test_a_store_on_the_same_disk_needs_room_beside_the_cache(plan, tmp_path):
    with pytest.raises(ResourceError, match=r"home and .*store: the run needs at least"):
        check_fit(pushing(plan, tmp_path / "store"))


def test_a_store_elsewhere_needs_no_room_here(plan):
    check_fit(pushing(plan, "s3://bucket"))


def test_a_store_that_may_hold_the_blobs_already_refuses_nothing(plan, tmp_path):
    (tmp_path / "store" / "models" / plan.model).mkdir(parents=True)
    check_fit(pushing(plan, tmp_path / "store"))


def test_tables_are_known_to_the_byte_once_the_split_is_done():
    before = forecast("tables", Sizes(source=1 << 40, dense=1 << 40), None)
    assert (before.disk, before.least) == (1 << 40, 0)
    known = forecast("tables", Sizes(source=1 << 40, dense=5, tables=7 << 30), None)
    assert (known.disk, known.least) == (7 << 30, 7 << 30)


def test_a_push_counts_the_stores_own_copy():
    found = forecast("push", Sizes(source=1 << 40, dense=4 << 20, tables=7 << 30), None)
    assert found.least == (7 << 30) + (1 << 20)
    assert found.disk > found.least
