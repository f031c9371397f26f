import asyncio
import json
import logging
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from registry.manifest import Version
from targets.serving.app import App
from targets.serving.limits import Limits
from targets.serving.live import Live
from targets.serving.load import LoadOptions, load_folder
from targets.serving.metrics import new_metrics
from targets.serving.routes import Room
from tests.servers import as_json
from tests.versions import some_requests, write_draft

INFER = "/v2/models/ranker/infer"
GOOD = as_json(some_requests(2))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("version")
    draft = write_draft(folder, 1, runtimes=("onnxruntime",))
    version = Version(
        **dict(draft),
        number=1,
        created=datetime(2026, 1, 1, tzinfo=UTC),
        fingerprint="0" * 64,
        files={},
    )
    ready = load_folder(folder, version, version.builds[0], LoadOptions(folder))
    yield ready
    ready.predictor.close()


def ask(loaded, *pieces, path=INFER, limits=None, draining=False, logs=False):
    """Send one request, its body in pieces of which the last may be None: it never comes."""

    async def no_reload():
        raise AssertionError("nobody asked for it")

    async def main():
        live = Live("ranker", limits or Limits(), new_metrics())
        if loaded:
            live.swap(loaded)
        live.draining = draining
        rest, sent = list(pieces), []

        async def receive():
            body = rest.pop(0)
            if body is None:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": body, "more_body": bool(rest)}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": path, "headers": []}
        await App(Room(live, no_reload), logs)(scope, receive, send)
        if live.served:
            await live.served.batcher.close()
        return sent[0]["status"], dict(sent[0]["headers"]), json.loads(sent[1]["body"])

    return asyncio.run(main())


def test_an_answer_names_its_version(loaded):
    status, headers, body = ask(loaded, GOOD)
    assert (status, body["model_version"]) == (200, "1")
    assert b"connection" not in headers


def test_a_body_may_come_in_pieces(loaded):
    assert ask(loaded, GOOD[:9], GOOD[9:50], GOOD[50:])[0] == 200


def test_a_server_without_a_version_asks_to_come_back():
    status, headers, body = ask(None, GOOD)
    assert (status, headers[b"retry-after"]) == (503, b"1")
    assert "is being loaded" in body["error"]


def test_a_full_queue_asks_to_come_back(loaded):
    status, headers, _ = ask(loaded, GOOD, limits=Limits(queue=0))
    assert (status, headers[b"retry-after"]) == (503, b"1")


def test_a_late_answer_is_a_gateway_timeout(loaded):
    class Slow:
        def predict(self, inputs):
            time.sleep(0.2)
            return loaded.predictor.predict(inputs)

    status, _, body = ask(replace(loaded, predictor=Slow()), GOOD, limits=Limits(timeout=0.05))
    assert (status, body["error"]) == (504, "not answered within 0.05 s")


def test_a_body_that_does_not_come_is_given_up(loaded):
    status, headers, _ = ask(loaded, GOOD[:9], None, limits=Limits(timeout=0.05))
    assert (status, headers[b"connection"]) == (408, b"close")


def test_a_body_that_grows_too_large_is_given_up(loaded):
    status, headers, _ = ask(loaded, b" " * 60, b" " * 60, limits=Limits(body=100))
    assert (status, headers[b"connection"]) == (413, b"close")


def test_a_server_that_drains_answers_and_asks_to_leave(loaded):
    status, headers, _ = ask(loaded, GOOD, draining=True)
    assert (status, headers[b"connection"]) == (200, b"close")


def test_an_unforeseen_fault_is_logged_and_answered(loaded, caplog):
    path = "/v2/repository/models/ranker/load"
    status, _, body = ask(loaded, b"", path=path)
    assert (status, body["error"]) == (500, "the request failed: nobody asked for it")
    assert "nobody asked for it" in caplog.text


def test_requests_are_logged_in_json_where_that_is_wanted(loaded, caplog):
    caplog.set_level(logging.INFO, "access")
    ask(loaded, GOOD)
    assert caplog.messages == []
    ask(loaded, GOOD, logs=True)
    line = json.loads(caplog.messages[0])
    assert (line["method"], line["path"], line["status"]) == ("POST", INFER, 200)
