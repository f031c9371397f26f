"""Requests a second of the server, on a tiny model: what the serving itself costs.

Run: python -m benchmarks.serving [SECONDS]. Takes wrk where it is installed, else a client in
Python that is the slower of the two parties: its figures are a lower bound.
"""

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from registry.catalog import Catalog
from registry.store import open_store
from tests.servers import Server, as_json, running
from tests.versions import publish, some_requests

PATH = "/v2/models/ranker/infer"
WAYS = {"joined": (), "one by one": ("--max-batch", "1")}
CONNECTIONS = (1, 8, 32)
Load = Callable[[Server, int, float], None]


def main() -> None:
    """Measure each way of serving at each number of connections."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    client = load_wrk if shutil.which("wrk") else load_python
    print(f"client: {client.__name__}")
    print(f"{'':<12}{'connections':>12}{'req/s':>9}{'CPU ms':>8}{'rows':>6}")
    with tempfile.TemporaryDirectory() as folder:
        catalog = Catalog(open_store(f"{folder}/store"))
        publish(catalog, Path(folder), 1)
        for way, options in WAYS.items():
            cache = Path(folder, "cache")
            with running(catalog.store.url, cache, *options, reference="ranker@1") as server:
                for connections in CONNECTIONS:
                    print(
                        f"{way:<12}{connections:>12}{measure(server, client, connections, seconds)}"
                    )


def measure(server: Server, client: Load, connections: int, seconds: float) -> str:
    """Load the server and read from its own metrics what it did."""
    client(server, connections, 0.5)
    before, start = server.metrics(), time.monotonic()
    client(server, connections, seconds)
    after, took = server.metrics(), time.monotonic() - start

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0.0)

    answered = grown('pipeline_requests_total{code="200"}')
    cpu = 1000 * grown("process_cpu_seconds_total") / answered
    rows = grown("pipeline_batch_rows_sum") / grown("pipeline_batch_rows_count")
    return f"{answered / took:>9.0f}{cpu:>8.3f}{rows:>6.1f}"


def load_wrk(server: Server, connections: int, seconds: float) -> None:
    """Keep as many requests under way as there are connections, with wrk."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        body = as_json(some_requests(1)).decode()
        script.write(f"wrk.method = 'POST'\nwrk.body = [[{body}]]\n")
        script.flush()
        whole = max(1, round(seconds))
        subprocess.run(
            [
                *("wrk", "-t1", f"-c{connections}", f"-d{whole}s", "-s", script.name),
                f"http://127.0.0.1:{server.port}{PATH}",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )


def load_python(server: Server, connections: int, seconds: float) -> None:
    """Keep as many requests under way as there are connections, with asyncio."""
    body = as_json(some_requests(1))
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    request = head.encode() + body

    async def ask_on(end: float) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        while time.monotonic() < end:
            writer.write(request)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
        writer.close()

    async def all_of_them() -> None:
        end = time.monotonic() + seconds
        await asyncio.gather(*(ask_on(end) for _ in range(connections)))

    asyncio.run(all_of_them())


if __name__ == "__main__":
    main()
