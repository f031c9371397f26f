"""Stages that tests make up, run in real processes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.task import Task


@pytest.fixture
def task(tmp_path) -> Callable[..., Task]:
    """Return what makes a task of `tests.misbehave`, which does what its options say."""

    def make(do: str = "write", **options: object) -> Task:
        return Task(
            name=f"try {do}",
            stage="tests.misbehave",
            options={"do": do, **options},
            folder=Path(tmp_path),
        )

    return make
