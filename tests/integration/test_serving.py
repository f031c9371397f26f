import random
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import orjson
import pytest
from tritonclient import http as triton
from tritonclient.utils import InferenceServerException

from registry.catalog import Catalog
from registry.layout import blob_key
from registry.store import open_store
from tests.servers import Crowd, as_json, command, running
from tests.versions import publish, right_answer, some_requests

INFER = "/v2/models/ranker/infer"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store with three versions, the first of them in production."""
    folder = tmp_path_factory.mktemp("published")
    catalog = Catalog(open_store(str(folder / "store")))
    for seed in (1, 2, 3):
        publish(catalog, folder, seed)
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    return folder / "store"


@pytest.fixture(scope="module")
def server(store, tmp_path_factory):
    with running(store, tmp_path_factory.mktemp("cache"), "--max-body-mb", "0.1") as server:
        yield server
        assert server.process.poll() is None
        assert "Traceback" not in server.log.read_text()


@pytest.fixture
def client(server):
    client = triton.InferenceServerClient(f"127.0.0.1:{server.port}")
    yield client
    client.close()


def triton_inputs(inputs, *, binary):
    made = []
    for name, array in inputs.items():
        kind = "FP32" if array.dtype == np.float32 else "INT64"
        one = triton.InferInput(name, array.shape, kind)
        one.set_data_from_numpy(array, binary_data=binary)
        made.append(one)
    return made


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("back", [None, False, True])
def test_tritonclient_gets_right_answers(client, binary, back):
    inputs = some_requests(5)
    wanted = None if back is None else [triton.InferRequestedOutput("score", binary_data=back)]
    result = client.infer(
        "ranker", triton_inputs(inputs, binary=binary), outputs=wanted, request_id="r7"
    )
    np.testing.assert_allclose(result.as_numpy("score"), right_answer(1, inputs), 1e-5, 1e-5)
    assert result.get_response()["model_version"] == "1"
    assert result.get_response()["id"] == "r7"


def test_tritonclient_finds_its_way(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("ranker")
    assert client.is_model_ready("ranker", "1")
    assert not client.is_model_ready("ranker", "2")
    assert client.get_server_metadata()["name"] == "model-pipeline"
    metadata = client.get_model_metadata("ranker", "1")
    assert metadata["inputs"][1] == {"name": "ids", "datatype": "INT64", "shape": [-1, 2]}
    assert metadata["outputs"] == [{"name": "score", "datatype": "FP32", "shape": [-1, 1]}]
    assert client.get_model_repository_index()[0]["name"] == "ranker"
    client.load_model("ranker")


def test_tritonclient_is_told_what_is_wrong(client):
    inputs = some_requests(2) | {"ids": np.array([[0, 1], [50, 2]])}
    with pytest.raises(InferenceServerException, match="ids"):
        client.infer("ranker", triton_inputs(inputs, binary=True))


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v2/models/other/infer", 404),
        ("POST", "/v2/models/ranker/versions/9/infer", 404),
        ("GET", "/v2/models/ranker/versions/x", 404),
        ("POST", "/v2/repository/models/other/load", 404),
        ("GET", "/", 404),
        ("GET", "/v2/models/%00%ff/ready", 404),
        ("GET", INFER, 405),
        ("DELETE", "/v2", 405),
    ],
)
def test_what_is_not_there_is_said_in_json(server, method, path, status):
    told, headers, body = server.request(method, path)
    assert told == status
    assert orjson.loads(body)["error"]
    assert (headers["allow"] is not None) == (status == 405)


def test_a_body_that_is_too_large_is_refused(server):
    assert server.request("POST", INFER, b" " * 110_000)[0] == 413
    chunks = iter([b" " * 60_000] * 2)
    assert server.request("POST", INFER, chunks)[0] == 413


def test_a_compressed_body_is_refused(server):
    assert server.request("POST", INFER, b"x", {"Content-Encoding": "gzip"})[0] == 415


def test_only_the_culprit_of_a_batch_is_refused(server):
    def ask(number):
        inputs = some_requests(1, seed=number)
        if number % 5 == 0:
            inputs["ids"][0, 0] = -1 - number
        status, _, body = server.request("POST", INFER, as_json(inputs))
        if number % 5 == 0:
            return status == 400 and b"ids" in body
        answer = orjson.loads(body)["outputs"][0]["data"]
        return status == 200 and np.allclose(answer, right_answer(1, inputs)[0], 1e-4, 1e-4)

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(150)))


def test_malformed_requests_by_the_hundred_break_nothing(server):
    choose = random.Random(0)
    good = as_json(some_requests(2))
    answered = dict.fromkeys((200, 400, 404, 405, 413, 415), 0)
    for _ in range(300):
        body = bytearray(good)
        for _ in range(choose.randint(1, 6)):
            body[choose.randrange(len(body))] = choose.randrange(256)
        length = choose.choice([None, "5", "-1", str(len(body)), "9" * 40, "\xb2", ""])
        headers = {} if length is None else {"Inference-Header-Content-Length": length}
        status, _, _ = server.request("POST", INFER, bytes(body), headers)
        answered[status] += 1
    assert answered[400] > 200
    assert server.request("POST", INFER, good)[0] == 200


def test_broken_http_by_the_hundred_breaks_nothing(server):
    choose = random.Random(1)
    good = as_json(some_requests(1))
    head = f"POST {INFER} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(good)}\r\n\r\n".encode()
    for _ in range(150):
        raw = bytearray(head + good)
        for _ in range(choose.randint(1, 3)):
            raw[choose.randrange(len(head))] = choose.randrange(256)
        with socket.create_connection(("127.0.0.1", server.port), 5) as connection:
            connection.sendall(raw[: choose.choice([len(raw), choose.randrange(len(raw))])])
            connection.shutdown(socket.SHUT_WR)
            assert b" 500 " not in connection.recv(4096).partition(b"\r\n")[0]
    assert server.request("POST", INFER, good)[0] == 200


def test_metrics_count_what_happened(server):
    before = server.metrics()
    for _ in range(3):
        server.request("POST", INFER, as_json(some_requests(4)))
    server.request("POST", INFER, b"{}")
    after = server.metrics()

    def grown(name):
        return after[name] - before.get(name, 0)

    assert grown('pipeline_requests_total{code="200"}') == 3
    assert grown('pipeline_requests_total{code="400"}') == 1
    assert grown("pipeline_lookup_ids_total") == 24
    assert grown("pipeline_batch_rows_sum") == 12
    assert after['pipeline_model_version{model="ranker",version="1"}'] == 1


def test_openvino_serves_as_well(store, tmp_path):
    with running(store, tmp_path, "--target", "openvino", reference="ranker@3") as server:
        inputs = some_requests(3)
        _, _, body = server.request("POST", INFER, as_json(inputs))
        answer = orjson.loads(body)["outputs"][0]["data"]
        np.testing.assert_allclose(answer, right_answer(3, inputs).ravel(), 1e-4, 1e-4)
        assert orjson.loads(server.request("GET", "/v2/models/ranker")[2])["platform"] == "openvino"


def test_sigterm_under_load_loses_nothing(store, tmp_path):
    with (
        running(store, tmp_path, "--drain", "0.7") as server,
        Crowd(server.port, {"1": 1}) as crowd,
    ):
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        crowd.join()
        assert server.process.wait(10) == 0
        assert time.monotonic() - start < 8
    assert crowd.faults == []
    assert crowd.versions["1"] > 10


def test_readiness_goes_while_the_server_drains(store, tmp_path):
    with running(store, tmp_path, "--drain", "1") as server:
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        assert server.request("GET", "/v2/health/ready")[0] == 503
        assert server.request("GET", "/v2/health/live")[0] == 200
        assert server.request("POST", INFER, as_json(some_requests(1)))[0] == 200
        assert server.process.wait(10) == 0
        said = server.log.read_text()
        assert said.index("draining: ") < said.index("stopped")
    assert list((tmp_path / "serving").rglob("*.json")) == []


def test_a_client_that_sends_half_a_request_does_not_keep_the_server(store, tmp_path):
    with (
        running(store, tmp_path, "--drain", "0", "--timeout", "1") as server,
        socket.create_connection(("127.0.0.1", server.port), 10) as connection,
    ):
        head = f"POST {INFER} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"
        connection.sendall(head.encode())
        time.sleep(0.2)
        assert server.end() == 0
        assert connection.recv(4096).startswith(b"HTTP/1.1 408 ")
        assert "Traceback" not in server.log.read_text()


def test_a_killed_server_starts_again_at_its_port(store, tmp_path):
    with running(store, tmp_path) as server:
        server.end(signal.SIGKILL)
    with running(store, tmp_path, port=server.port) as again:
        assert again.request("POST", INFER, as_json(some_requests(1)))[0] == 200


def start_in_vain(*arguments, **more):
    ended = subprocess.run(
        command(*arguments, **more), capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in ended.stderr
    return ended.returncode, ended.stderr


def test_a_port_that_is_taken_is_named(server, store, tmp_path):
    code, said = start_in_vain(store, tmp_path, port=server.port)
    assert code == 20
    assert f"127.0.0.1:{server.port} cannot be had" in said


def test_a_channel_that_is_not_there_ends_the_server(store, tmp_path):
    code, said = start_in_vain(store, tmp_path, reference="ranker@producton")
    assert code == 15
    assert "producton" in said


def test_a_version_that_answers_otherwise_than_recorded_is_not_served(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    publish(catalog, tmp_path, 1, recorded_shift=0.5, runtimes=("onnxruntime",))
    code, said = start_in_vain(tmp_path / "store", tmp_path, reference="ranker")
    assert code == 20
    assert "score: 16 of 16 values are off" in said
    assert "the largest difference is 0.5" in said


def test_sighup_takes_the_channel_up_at_once(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    publish(catalog, tmp_path, 1, runtimes=("onnxruntime",))
    publish(catalog, tmp_path, 2, runtimes=("onnxruntime",))
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    with running(tmp_path / "store", tmp_path / "cache", "--poll", "600") as server:
        catalog.move("ranker", "production", 2, who="me", why="the second one")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: server.version() == "2")


def test_a_version_that_is_corrupt_never_goes_live(tmp_path):
    catalog = Catalog(open_store(str(tmp_path / "store")))
    publish(catalog, tmp_path, 1, runtimes=("onnxruntime",))
    broken = publish(catalog, tmp_path, 2, runtimes=("onnxruntime",))
    publish(catalog, tmp_path, 3, runtimes=("onnxruntime",))
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    blob = tmp_path / "store" / blob_key(broken.files["builds/onnxruntime/model.onnx"].digest)
    blob.chmod(0o644)
    blob.write_bytes(b"\0" + blob.read_bytes()[1:])
    with running(tmp_path / "store", tmp_path / "cache", "--poll", "0.1") as server:
        catalog.move("ranker", "production", 2, who="me", why="nobody knows that it is broken")
        wait_until(lambda: server.metrics().get('pipeline_reloads_total{outcome="failed"}'))
        assert server.version() == "1"
        assert server.request("POST", INFER, as_json(some_requests(1)))[0] == 200
        assert "the live version stays" in server.log.read_text()
        catalog.move("ranker", "production", 3, who="me", why="the one that works")
        wait_until(lambda: server.version() == "3")


def wait_until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
