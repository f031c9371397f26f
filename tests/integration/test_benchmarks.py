"""Every command of docs/benchmarks.md works, at sizes that take a moment: figures are no matter."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "benchmarks.md").read_text()
COMMANDS = [line.strip() for line in TEXT.splitlines() if line.startswith("    python ")]

#: What makes each of them small, by the name of its script.
SMALL = {
    "allocators": ["--runtime", "onnxruntime", "--model", "MLP", "--rounds", "1", "--seconds=0.01"],
    "runtimes": ["--model", "MLP", "--rounds", "1", "--seconds", "0.01"],
    "tables": ["--gib", "0.01"],
    "lookups": ["--rows", "2000", "--rounds", "1"],
    "serving": ["0.2"],
    "registry_transfer": ["--mib", "4", "--rounds", "1"],
    "registry_pages": ["--models", "2", "--versions", "30", "--rounds", "1"],
    "registry_delta": ["--mib", "4", "--rounds", "1"],
    "registry_scale": ["--models", "2", "--versions", "3", "--rounds", "1"],
}
WITH_FOLDER = (
    "tables",
    "lookups",
    "registry_transfer",
    "registry_delta",
    "registry_scale",
    "registry_pages",
)


def script(command: str) -> str:
    """Return the script's name: `python -m benchmarks.NAME …` or `python benchmarks/NAME.py …`."""
    words = shlex.split(command)
    return Path(words[2].replace(".", "/") if words[1] == "-m" else words[1]).stem


@pytest.mark.timeout(300)
@pytest.mark.parametrize("command", COMMANDS, ids=script)
def test_the_command_prints_a_table(command, tmp_path):
    name, words = script(command), shlex.split(command)
    start = words[1 : 3 if words[1] == "-m" else 2]
    folder = ["--folder", str(tmp_path)] if name in WITH_FOLDER else []
    done = subprocess.run(
        [sys.executable, *start, *SMALL[name], *folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.splitlines()) > 4


def test_there_is_a_small_size_for_each_command():
    assert {script(command) for command in COMMANDS} == set(SMALL)
