"""The JSON API of `pipeline registry serve` against its own OpenAPI document, fuzzed."""

import http.client
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from registry import Catalog
from registry.store import open_store
from tests import drafts, versions
from tests.registry_site import site_of

CONFIG = Path(__file__).resolve().parents[1] / "data" / "schemathesis.toml"
FUZZER = (sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = tmp_path_factory.mktemp("api")
    catalog = Catalog(open_store(str(root / "store")))
    for number in range(2):
        folder = root / f"draft-{number}"
        folder.mkdir()
        catalog.publish(drafts.write_draft(folder, answer=b"%d" % number), folder)
    versions.publish(catalog, root, 1, runtimes=("onnxruntime",))
    catalog.move("ads", "production", 1, who="ann", why="first")
    with site_of(catalog.store.url, "--allow-promote") as address:
        yield address


def test_whatever_is_asked_the_api_answers_as_its_document_says(site, tmp_path):
    done = subprocess.run(
        [
            *(*FUZZER, "--config-file", str(CONFIG), "run", f"{site}/api/openapi.json"),
            *("--checks", "all", "--phases", "coverage,fuzzing", "--seed", "1"),
            *("--max-examples", "10", "--generation-database", "none", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "9 selected / 9 total" in done.stdout


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/models/../../../etc/passwd",
        "/models/%2e%2e/%2e%2e/versions/1",
        "/models/ads/versions/1/../../../../style.css",
        "/models/ads%00/versions/1",
        "//evil.example/models",
        "/static/..%5c..%5cstyle.css",
        "/models/" + "a" * 20_000,
    ],
)
def test_no_path_leads_out(site, path):
    status, _, body = ask(site, "GET", path)
    assert status in {400, 404, 414}, body[:200]
    assert b"root:" not in body


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO"])
def test_unknown_methods_are_refused_with_what_is_allowed(site, method):
    status, headers, _ = ask(site, method, "/api/models")
    assert (status, headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "headers",
    [
        [("X-Long", "a" * 70_000)],
        [("Host", "a")],
        [("Cookie", "=;=;;registry-form;" * 50)],
        [("Content-Length", "-1")],
        [("Transfer-Encoding", "chunked, chunked")],
        [("Content-Type", "\xff\xfe")],
        [("Accept", "\t")],
        [(f"X-{number}", "1") for number in range(99)],
    ],
    ids=lambda headers: headers[0][0],
)
def test_odd_headers_are_answered_or_refused_and_the_server_goes_on(site, headers):
    status, *_ = ask(site, "GET", "/api/models", headers)
    assert status in {200, 400, 413, 421, 431, 501}
    assert ask(site, "GET", "/api/models")[0] == 200


def ask(site, method, path, headers=()):
    """Send a request as it is written: no client that tidies it up."""
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=60)
    connection.putrequest(method, path, skip_host=any(n == "Host" for n, _ in headers))
    for name, value in headers:
        connection.putheader(name, value.encode("latin-1"))
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return found
