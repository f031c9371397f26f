"""A real S3-compatible server, SeaweedFS, over http and https at once."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
    """

    http: str
    https: str
    authority: Path

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
def seaweed(folder: Path) -> Iterator[Seaweed]:
    """Run a server that keeps its files in a folder; it has answered before this enters."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(folder / "authority.pem")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(folder / "certificate.pem")
    ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
    (folder / "data").mkdir()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*_command(folder), *(f"-{name}={port}" for name, port in ports.items())],
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
    http = f"http://127.0.0.1:{ports['s3.port']}"
    https = f"https://127.0.0.1:{ports['s3.port.https']}"
    try:
        server = Seaweed(http, https, folder / "authority.pem")
        _wait(process, server, folder / "log")
        yield server
    finally:
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


def _wait(process: subprocess.Popen[bytes], server: Seaweed, log: Path) -> None:
    """Wait until the bucket is there, at both endpoints."""
    deadline = time.monotonic() + 60
    while not all(server.answers(endpoint) for endpoint in (server.http, server.https)):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"weed did not start: {log.read_text()[-4000:]}")
        time.sleep(0.1)
