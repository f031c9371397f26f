"""How a run is shown."""

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.record import Fault, StageRecord, Usage
from pipeline.showing.watch import Lines, ending

ROOT = Path(__file__).parents[4]
CALL = [sys.executable, "-m", "tests.chain"]
PLAIN = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
PLAIN |= {"PYTHONPATH": str(ROOT)}


def watched(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    call = [*CALL, str(folder), "0", *options]
    return subprocess.run(call, cwd=ROOT, env=PLAIN, capture_output=True, text=True, check=True)


def test_a_pipe_gets_a_line_when_a_task_starts_and_one_when_it_ends(tmp_path):
    run = watched(tmp_path)
    lines = run.stderr.splitlines()
    assert run.stdout == ""
    assert lines[0] == "one: started (first run)"
    assert lines[1].startswith("one: 0.")
    assert ", peak " in lines[1]
    assert len(lines) == 8


def test_machines_get_events_on_stdout_and_nothing_else(tmp_path):
    run = watched(tmp_path, "--json")
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.stderr == ""
    kinds = [event["event"] for event in events if event["task"] == "one"]
    assert kinds[0] == "started"
    assert kinds[-1] == "ended"
    assert "progress" in kinds
    assert {event["task"] for event in events} == {"one", "two", "three", "four"}
    assert events[-1]["usage"]["peak"] > 1 << 20


def test_a_terminal_gets_one_line_a_task(tmp_path):
    ours, theirs = pty.openpty()
    call = [*CALL, str(tmp_path), "0.1"]
    environment = {**PLAIN, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(call, cwd=ROOT, env=environment, stderr=theirs) as process:
        os.close(theirs)
        sent = b""
        try:
            while chunk := os.read(ours, 4096):
                sent += chunk
        except OSError:
            os.close(ours)
        assert process.wait(20) == 0
    text = sent.decode()
    assert " of 3 steps" in text
    assert "steps/s" not in text
    last = text.rpartition("one")[2]
    assert [name for name in ("two", "three", "four") if name in last] == ["two", "three", "four"]
    assert last.count(", peak ") == 4


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"outcome": "done", "usage": Usage(seconds=2, cpu=1, peak=3 << 20)},
            "2.0 s, peak 3.0 MiB",
        ),
        ({"outcome": "cached", "usage": Usage(seconds=2, cpu=1, peak=3 << 20)}, "cached"),
        ({"outcome": "failed", "error": Fault(kind="a", message="b", exit_code=1)}, "failed"),
    ],
)
def test_the_end_of_a_task_in_a_few_words(fields, words):
    stage = StageRecord(name="one", stage="split", needs=(), why="", options={}, **fields)
    assert ending(stage) == words


def test_long_work_says_now_and_then_how_far_it_is(capsys):
    progress = Lines(interval=0.05).started("tables", "first run")
    for done in range(1, 6):
        time.sleep(0.02)
        progress(done << 20, 5 << 20, "bytes")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "tables: started (first run)"
    assert 1 <= len(lines[1:]) <= 2
    assert lines[1].startswith("tables: ")
    assert lines[1].endswith(" left")
