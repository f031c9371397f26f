"""What is written to the terminal, and how."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.showing import console

ROOT = Path(__file__).parents[4]
WORK = (
    "import time\n"
    "from pipeline.showing.console import progress_line\n"
    "with progress_line('pull') as progress:\n"
    "    for done in range(1, 6):\n"
    "        progress(done << 20, 5 << 20, 'bytes')\n"
    "        time.sleep(0.15)\n"
)


def on_a_terminal(script: str, **environment: str) -> str:
    """Run a script with a terminal as its stderr and return what the terminal was sent."""
    ours, theirs = pty.openpty()
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")
    }
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**inherited, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
    )
    os.close(theirs)
    sent = b""
    try:
        while chunk := os.read(ours, 4096):
            sent += chunk
    except OSError:
        pass
    os.close(ours)
    assert process.wait(10) == 0
    return sent.decode()


def test_a_terminal_gets_a_live_line_with_rate_and_time_left():
    sent = on_a_terminal(WORK)
    assert "MiB/s" in sent
    assert "left" in sent
    assert "\x1b[" in sent


def test_a_terminal_without_colours_gets_none():
    coloured = [
        code for code in on_a_terminal(WORK, NO_COLOR="1").split("\x1b[") if "m" in code[:9]
    ]
    assert not [code for code in coloured if code.partition("m")[0].startswith(("3", "9"))]


@pytest.mark.parametrize("environment", [{"CI": "true"}, {"TERM": "dumb"}])
def test_ci_gets_plain_lines_even_on_a_terminal(environment):
    sent = on_a_terminal(WORK, **environment)
    assert sent.startswith("pull ...\r\npull: 0.")
    assert "\x1b" not in sent


def test_a_pipe_gets_a_line_at_the_start_and_one_at_the_end(capsys):
    with console.progress_line("pull") as progress:
        progress(3 << 20, 3 << 20, "bytes")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "pull ..."
    assert lines[1].startswith("pull: 0.")
    assert lines[1].endswith("3.0 MiB")


def test_results_go_to_stdout_and_notes_to_stderr(capsys):
    console.say("result")
    console.note("note")
    assert capsys.readouterr() == ("result\n", "note\n")


def test_a_json_record_is_one_line(capsys):
    console.emit({"text": "two\nlines", "number": 1})
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {"text": "two\nlines", "number": 1}


def test_columns_line_up_and_figures_are_set_to_the_right(capsys):
    console.show_table(("name", "rows"), [("a", "5"), ("longer", "12345")])
    assert capsys.readouterr().out == "name     rows\na           5\nlonger  12345\n"


def test_a_table_without_rows_is_its_header(capsys):
    console.show_table(("name", "rows"), [])
    assert capsys.readouterr().out == "name  rows\n"
