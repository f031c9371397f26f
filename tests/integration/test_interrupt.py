"""Ctrl-C ends a run cleanly, and the next one goes on; a reader that leaves ends nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.record import RunRecord

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path) -> subprocess.Popen[str]:
    """Start a run whose stages take seconds, and wait until the second has begun."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.chain", str(tmp_path), "0.3"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    for line in process.stderr:
        if line.startswith("two: started"):
            break
    return process


def test_an_interrupt_is_clean_and_the_next_run_goes_on(run, tmp_path):
    start = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=20)
    assert run.returncode == 130
    assert time.monotonic() - start < 5
    assert "Traceback" not in said
    assert not list(tmp_path.rglob("*.partial"))
    (record,) = [read(path) for path in tmp_path.glob("home/runs/*/*/run.json")]
    assert record.outcome == "interrupted"
    assert [stage.outcome for stage in record.stages] == ["done", "skipped", "skipped", "skipped"]
    again = subprocess.run(
        [sys.executable, "-m", "tests.chain", str(tmp_path), "0.3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert again.stderr.splitlines()[0] == "one: cached"


def test_a_reader_that_leaves_does_not_change_what_comes_of_a_run(run, tmp_path):
    run.stderr.close()
    assert run.wait(30) == 0
    (record,) = [read(path) for path in tmp_path.glob("home/runs/*/*/run.json")]
    assert record.outcome == "done"


def read(path: Path) -> RunRecord:
    return RunRecord.model_validate_json(path.read_bytes())
