"""Real servers in processes of their own, and clients that keep asking them."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import numpy as np
import orjson

from tests.versions import right_answer, some_requests


@dataclass
class Server:
    """A server that listens; `log` holds what it wrote."""

    process: subprocess.Popen
    port: int
    log: Path

    def request(self, method, path, body=b"", headers=None):
        """Ask once; return status, headers and body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def metrics(self):
        """Read the metrics, by name and labels."""
        lines = self.request("GET", "/metrics")[2].decode().splitlines()
        return {k: float(v) for k, v in (ln.rsplit(" ", 1) for ln in lines if ln[:1] != "#")}

    def version(self):
        """Say which version is live."""
        return orjson.loads(self.request("GET", "/v2/models/ranker")[2])["versions"][0]

    def end(self, how=signal.SIGTERM):
        """Send a signal and return the exit code."""
        self.process.send_signal(how)
        return self.process.wait(30)


def command(store, cache, *options, reference="ranker@production", port=0):
    """Write the command line of a server."""
    where = ["--store", str(store), "--home", str(cache), "--port", str(port)]
    return [sys.executable, "-m", "pipeline.cli", "serve", reference, *where, *options]


@contextmanager
def running(store, cache, *options, **more):
    """Run a server, ready, until the block ends."""
    cache.mkdir(parents=True, exist_ok=True)
    log = cache / f"server-{time.monotonic_ns()}.log"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with log.open("wb") as file:
        process = subprocess.Popen(
            command(store, cache, *options, **more), stdout=file, stderr=file, env=environment
        )
    try:
        server = Server(process, _wait_for_port(process, log), log)
        _wait_until(lambda: server.request("GET", "/v2/health/ready")[0] == 200, process, log)
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)


def _wait_for_port(process, log):
    _wait_until(lambda: " at http://" in log.read_text(), process, log)
    address = log.read_text().partition(" at http://")[2].split("/")[0]
    return int(address.rpartition(":")[2])


def _wait_until(holds, process, log, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        if process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"the server is not there: {log.read_text()}")
        time.sleep(0.05)


def as_json(inputs):
    """Write a request of the protocol."""
    names = {"float32": "FP32", "int64": "INT64"}
    entries = [
        {
            "name": name,
            "datatype": names[str(a.dtype)],
            "shape": a.shape,
            "data": a.ravel().tolist(),
        }
        for name, a in inputs.items()
    ]
    return orjson.dumps({"inputs": entries})


@dataclass
class Crowd:
    """Clients that ask one server, each again and again, and check what they are told.

    Attributes:
        versions: How many answers each version gave.
        faults: Every request that was not answered, or not as the version it names would.
    """

    port: int
    seeds: dict[str, int]
    clients: int = 4
    versions: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def __enter__(self):
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask_on, args=(number,)) for number in range(self.clients)
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self._over.set()
        self.join()

    def join(self):
        """Wait for all clients to leave."""
        for thread in self._threads:
            thread.join(30)

    def _ask_on(self, number):
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            self._ask_over(connection, number)

    def _ask_over(self, connection, number):
        asked = 0
        while not self._over.is_set():
            asked += 1
            inputs = some_requests(1 + asked % 3, seed=number * 100_000 + asked)
            try:
                connection.request("POST", "/v2/models/ranker/infer", as_json(inputs))
                response = connection.getresponse()
                body = response.read()
            except (OSError, HTTPException) as error:
                self.faults.append(f"client {number}, request {asked}: {error!r}")
                return
            self._check(response.status, body, inputs)
            if response.headers.get("connection") == "close":
                return

    def _check(self, status, body, inputs):
        if status != 200:
            self.faults.append(f"{status}: {body!r}")
            return
        told = orjson.loads(body)
        version, output = told["model_version"], told["outputs"][0]
        self.versions[version] = self.versions.get(version, 0) + 1
        answer = np.array(output["data"]).reshape(output["shape"])
        right = right_answer(self.seeds[version], inputs)
        if answer.shape != right.shape or not np.allclose(answer, right, 1e-4, 1e-4):
            self.faults.append(f"version {version} answered {answer} in place of {right}")
