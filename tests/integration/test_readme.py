"""Every command in the README works, in order, in a checkout like the reader's."""

import os
import re
import socket
import subprocess
from pathlib import Path

import pytest

from registry import errors

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [line.removeprefix("$ ") for block in BLOCKS for line in block.splitlines()]
# This test is a part of it.
NOT_RUN = {"make test"}


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A copy of the files that git knows or would; the environment is shared, and no data is."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes((ROOT / name).read_bytes())
            (tmp_path / name).chmod((ROOT / name).stat().st_mode)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test_every_command_is_marked_as_one():
    assert len(COMMANDS) > 10
    assert all(line.startswith("$ ") for block in BLOCKS for line in block.splitlines())


def test_every_command_works_in_order(checkout):
    port = str(free_port())
    lines = [line.replace("8080", port) for line in COMMANDS if line not in NOT_RUN]
    script = "\n".join(["set -e", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", *lines])
    own = ROOT / ".services" / "debian" / "usr" / "bin"
    done = subprocess.run(
        ["bash", "-xc", script],
        cwd=checkout,
        env={**os.environ, "PATH": f"{os.environ['PATH']}:{own}", "CI": "true"},
        check=False,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert '"ready":true' in done.stdout
    assert '"model_version":"1"' in done.stdout
    assert (checkout / "my-job.yaml").is_file()


def test_the_exit_codes_are_those_of_the_errors():
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.PlatformError)
    ]
    for kind in set(kinds) - {errors.PlatformError}:
        assert re.search(rf"\| {kind.exit_code} \| {kind.__name__}: ", README), kind


@pytest.mark.parametrize(
    "file", [ROOT / "README.md", *(ROOT / "docs").glob("*.md")], ids=lambda file: file.name
)
def test_every_link_leads_somewhere(file):
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", file.read_text())
    missing = [link for link in links if not (file.parent / link).exists()]
    assert missing == []
