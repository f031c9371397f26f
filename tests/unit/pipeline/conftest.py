"""Stages that tests make up, run in real processes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pipeline.planning.node import Node
from pipeline.planning.steps import Plan
from pipeline.processes.task import Task
from tests import chain
from tests.misbehave import Ways


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


@pytest.fixture
def node() -> Callable[..., Node]:
    """Return what makes a node of a graph; it reads the nodes that are named."""

    def make(
        name: str, *reads: str, cached: bool = True, toolchain: str = "current", **ways: object
    ) -> Node:
        roles = {read: read for read in reads}
        options = Ways.model_validate(ways)
        return Node(name, "tests.misbehave", options, roles, cached=cached, toolchain=toolchain)

    return make


@pytest.fixture
def lay_out(tmp_path) -> Callable[..., Plan]:
    """Return what makes a plan of nodes, in one home."""
    return partial(chain.lay_out, tmp_path)
