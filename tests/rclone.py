"""A real S3-compatible server that ignores the condition of conditional writes: rclone."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.seaweed import ACCESS_KEY, BUCKET, SECRET_KEY


@contextmanager
def rclone(folder: Path) -> Iterator[str]:
    """Serve a folder with one bucket, `BUCKET`, and give the endpoint."""
    (folder / "data" / BUCKET).mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as held:
        address = f"127.0.0.1:{held.getsockname()[1]}"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                str(Path(sys.executable).parent / "rclone"),
                *("serve", "s3", "--addr", address, "--auth-key", f"{ACCESS_KEY},{SECRET_KEY}"),
                *("--config", os.devnull, str(folder / "data")),
            ],
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
            stdout=log,
            stderr=log,
        )
    try:
        _wait(process, address, folder / "log")
        yield f"http://{address}"
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    host, port = address.split(":")
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"rclone did not start: {log.read_text()[-4000:]}") from None
            time.sleep(0.05)
        else:
            return
