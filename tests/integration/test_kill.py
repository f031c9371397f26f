"""A run that is killed at any moment leaves nothing half-done."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from pipeline.caching import cache
from pipeline.record import RunRecord

ROOT = Path(__file__).parents[2]
KILLS = 24


def start(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.chain", str(folder), "0.01", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def entries(home: Path) -> list[Path]:
    found = home.glob("cache/*/*")
    return [path for path in found if path.suffix not in (".lock", ".partial")]


def workers(folder: Path) -> list[int]:
    """Return the processes that still work on the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"pipeline.processes.worker" in command and str(folder).encode() in command:
            found.append(int(process.name))
    return found


def settle(folder: Path) -> None:
    """Wait for the kernel to end what belonged to a killed run."""
    for _ in range(100):
        if not workers(folder):
            return
        time.sleep(0.02)
    raise AssertionError(f"still running: {workers(folder)}")


def test_kills_at_random_moments_leave_whole_entries_and_a_run_that_goes_on(tmp_path):
    begun = time.monotonic()
    start(tmp_path).communicate(timeout=60)
    whole = time.monotonic() - begun
    moment, killed = random.Random(7), 0
    for _ in range(KILLS):
        run = start(tmp_path, *(("--force",) if moment.random() < 0.8 else ()))
        try:
            run.communicate(timeout=moment.uniform(0.1, 1.0) * whole)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.communicate()
            killed += 1
        settle(tmp_path)
        for entry in entries(tmp_path / "home"):
            assert cache.read_entry(entry).files
    assert killed > KILLS // 3
    last = start(tmp_path)
    said, _ = last.communicate(timeout=60)
    assert last.returncode == 0, said.decode()
    assert not list(tmp_path.rglob("*.partial"))
    (text,) = [e / "output/text" for e in entries(tmp_path / "home") if "four" in _name(e)]
    assert text.read_text() == "four(three(two(one())))"
    for record in tmp_path.glob("home/runs/*/*/run.json"):
        RunRecord.model_validate_json(record.read_bytes())


def _name(entry: Path) -> str:
    return cache.read_entry(entry).name
