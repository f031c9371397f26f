"""Work that cannot fit is refused before it starts."""

from dataclasses import replace

import pytest

from pipeline.planning.fit import check_fit
from pipeline.planning.forecast import Forecast
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
        check_fit(expecting(plan, Forecast(1 << 60, 1, 1.0)))


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
