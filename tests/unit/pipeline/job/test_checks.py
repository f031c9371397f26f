"""Every check can fail: some golden job is refused by it."""

from pathlib import Path

import pytest

from pipeline.job.checks import CHECKS
from pipeline.job.compose import compose
from pipeline.job.text import read_text
from registry.errors import JobError

GOLDENS = Path(__file__).parents[3] / "goldens" / "job_faults"


@pytest.fixture(scope="module")
def roots():
    found = []
    for path in sorted(GOLDENS.glob("*.yaml")):
        try:
            found.append(compose(read_text(path))[0])
        except JobError:
            continue
    assert len(found) > 100
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.__module__}.{check.__name__}")
def test_a_check_finds_its_fault_in_a_golden_job(check, roots, tmp_path):
    assert any(True for root in roots for _ in check(root, tmp_path))


def test_a_check_is_in_the_table_once():
    assert len(set(CHECKS)) == len(CHECKS)
