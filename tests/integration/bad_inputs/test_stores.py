"""Stores that cannot be reached, refuse, or hold other bytes than were published."""

import json
import shutil
import socket

import numpy as np
import pytest

from registry.catalog import Catalog
from registry.errors import IntegrityError, StoreError
from registry.layout import blob_key
from registry.store import open_store
from tests.bad_onnx import sound
from tests.bench import Bench, give_up_the_rights_of_root
from tests.seaweed import BUCKET
from tests.versions import some_requests

BIN = "builds/onnxruntime/model.onnx"


@pytest.fixture
def damaged(bench, tmp_path) -> Bench:
    """Copy the bench, and change one byte of a build in its store."""
    copy = Bench(tmp_path / "bench")
    shutil.copytree(bench.store, copy.store)
    np.savez(copy.folder / "asked.npz", **some_requests(2))
    digest = Catalog(open_store(str(copy.store))).version("ranker", 1).files[BIN].digest
    blob = copy.store / blob_key(digest)
    blob.chmod(0o644)
    data = bytearray(blob.read_bytes())
    data[len(data) // 2] ^= 1
    blob.write_bytes(data)
    return copy


@pytest.mark.parametrize(
    "command",
    [
        ("predict", "ranker", "--input", "asked.npz"),
        ("registry", "pull", "ranker", "--out", "pulled"),
        ("registry", "verify", "ranker"),
        ("serve", "ranker@candidate", "--port", "0"),
        ("rollout", "ranker@1", "--to", "local"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_corrupt_blob_is_never_taken(damaged, command):
    damaged.refuses(IntegrityError, BIN, command=(*command, "--store", "store"))


def test_a_store_that_is_not_there(bench):
    command = ("registry", "show", "ranker", "--store", "nowhere")
    bench.refuses(StoreError, "ranker", command=command)
    assert not (bench.folder / "nowhere").exists()


def test_a_store_that_is_a_file(bench):
    (bench.folder / "a-file").touch()
    job = sound(bench.folder)
    bench.refuses_job(StoreError, "a-file", push={"store": "a-file"}, **job)


def test_a_version_that_is_not_there_is_answered_with_those_that_are(bench):
    command = ("registry", "show", "ranker@9", "--store", "store")
    bench.refuses(StoreError, "ranker", "9", "1", command=command)


def test_a_store_that_may_not_be_written(bench, tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o555)
    bench.write(push={"store": str(folder)}, **sound(bench.folder))
    before = bench.published()
    said = bench.run("run", "job.yaml", preexec_fn=give_up_the_rights_of_root)
    bench.failed_well(said, StoreError, ("theirs", "Permission denied", "right"), before)
    assert not list(folder.iterdir())


def test_an_endpoint_that_nobody_listens_at(bench, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "anything")
        push = {"store": "s3://models/here", "endpoint": endpoint}
        bench.refuses_job(StoreError, endpoint, push=push, **sound(bench.folder))


def test_wrong_credentials(bench, s3_environment, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    push = {"store": f"s3://{BUCKET}/wrong", "endpoint": s3_environment.http}
    bench.refuses_job(StoreError, BUCKET, "AWS_SECRET_ACCESS_KEY", push=push, **sound(bench.folder))


def test_a_bucket_that_is_not_there(bench, s3_environment):
    push = {"store": "s3://nobodys/models", "endpoint": s3_environment.http}
    bench.refuses_job(StoreError, "nobodys", push=push, **sound(bench.folder))


def test_a_store_that_cannot_be_reached_is_noticed_before_any_work(bench, s3_environment):
    bad = {"store": "s3://nobodys/models", "endpoint": s3_environment.http}
    bench.write(model="early", push=bad, **sound(bench.folder))
    said = bench.call("run", "job.yaml", "--json")
    assert said.code == StoreError.exit_code
    stages = json.loads(said.out.splitlines()[-1])["stages"]
    assert "done" not in stages.values()


def test_a_push_that_was_left_out_is_all_that_is_left_to_do(bench, s3_environment):
    job = sound(bench.folder)
    bad = {"store": "s3://nobodys/models", "endpoint": s3_environment.http}
    bench.write(model="resumed", push=bad, **job)
    assert bench.call("run", "job.yaml", "--no-push").code == 0
    bench.write(model="resumed", **job)
    said = bench.call("run", "job.yaml", "--json")
    assert said.code == 0, said.err
    stages = json.loads(said.out.splitlines()[-1])["stages"]
    assert {name for name, how in stages.items() if how == "done"} == {"assemble", "push"}
