"""`pipeline registry serve` as its own process, for tests that need the real server."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SERVE = (sys.executable, "-m", "pipeline.cli", "registry", "serve")
TOKEN = "0123456789abcdef"


@contextmanager
def site_of(store: str, *options: str) -> Iterator[str]:
    """Serve a store, give the address, and end the server, which has to end in good order."""
    server = subprocess.Popen(
        [*SERVE, "--store", store, "--port", "0", *options],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PIPELINE_PROMOTE_TOKEN": TOKEN},
    )
    with server:
        try:
            yield _listening(server)
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0


def _listening(server: subprocess.Popen[str]) -> str:
    for line in server.stderr or ():
        if found := re.search("http://127.0.0.1:[0-9]+(?=/)", line):
            return found[0]
    raise RuntimeError("it ended before it listened")
