"""A real S3-compatible server, SeaweedFS, over http and https at once."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import boto3
import trustme
from botocore.client import Config
from botocore.exceptions import BotoCoreError, ClientError

BUCKET = "models"
ACCESS_KEY, SECRET_KEY = "test-access-key", "test-secret-key-never-to-be-shown"

#: Options that take a port, and the gRPC port that goes with each.
_PORTS = (
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "s3.port",
    "s3.port.grpc",
    "s3.port.https",
    "admin.port",
    "admin.port.grpc",
)
_OFF = (
    "-master.telemetry=false",
    "-webdav=false",
    "-admin.ui=false",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    "-s3.allowDeleteBucketNotEmpty=false",
    "-s3.autoCreateBucket=false",
)


@dataclass(frozen=True)
class Seaweed:
    """A running server with one bucket, `BUCKET`.

    Attributes:
        http, https: Endpoints.
        authority: File of the certificate authority that vouches for `https`.
        folder: URL below which the server takes the bucket's objects without a signature.
    """

    http: str
    https: str
    authority: Path
    folder: str

    @property
    def environment(self) -> dict[str, str]:
        """What a client's process has to have in its environment, and nothing of the host's."""
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_CA_BUNDLE": str(self.authority),
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
        }

    def answers(self, endpoint: str) -> bool:
        """Whether the bucket is there."""
        client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            region_name="us-east-1",
            verify=str(self.authority),
            config=Config(proxies={}, retries={"total_max_attempts": 1}),
        )
        try:
            client.head_bucket(Bucket=BUCKET)
        except (BotoCoreError, ClientError):
            return False
        finally:
            client.close()
        return True


@contextmanager
def seaweed(folder: Path, *options: str) -> Iterator[Seaweed]:
    """Run a server that keeps its files in a folder; it has answered before this enters.

    Args:
        options: Further ones of `weed mini`.
    """
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(folder / "authority.pem")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(folder / "certificate.pem")
    process, server = _start(folder, options)
    try:
        yield server
    finally:
        _kill(process)


def _start(folder: Path, options: tuple[str, ...]) -> tuple[subprocess.Popen[bytes], Seaweed]:
    """Start a server; again on other ports where somebody was faster to take one."""
    for _ in range(3):
        ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
        http = f"http://127.0.0.1:{ports['s3.port']}"
        https = f"https://127.0.0.1:{ports['s3.port.https']}"
        below = f"http://127.0.0.1:{ports['filer.port']}/buckets/{BUCKET}"
        server = Seaweed(http, https, folder / "authority.pem", below)
        process = _run(folder, [*(f"-{name}={port}" for name, port in ports.items()), *options])
        if _comes_up(process, server):
            return process, server
        _kill(process)
    raise RuntimeError(f"weed did not start: {(folder / 'log').read_text()[-4000:]}")


def _run(folder: Path, options: list[str]) -> subprocess.Popen[bytes]:
    (folder / "data").mkdir(exist_ok=True)
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [*_command(folder), *options],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "GOMEMLIMIT": "400MiB",
                "AWS_ACCESS_KEY_ID": ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            },
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the server and its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _command(folder: Path) -> list[str]:
    tls = [f"-s3.cert.file={folder}/certificate.pem", f"-s3.key.file={folder}/key.pem"]
    where = [f"-dir={folder}/data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-bucket={BUCKET}"]
    return [str(Path(sys.executable).parent / "weed"), "mini", *where, *tls, *_OFF]


def _free_ports(count: int) -> list[int]:
    """Find ports that are free; held together, so that they differ."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


def _comes_up(process: subprocess.Popen[bytes], server: Seaweed) -> bool:
    """Wait until the bucket is there, at both endpoints."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if server.answers(server.http) and server.answers(server.https):
            return True
        time.sleep(0.1)
    return False
