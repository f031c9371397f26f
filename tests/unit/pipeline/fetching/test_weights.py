"""Weights on a real S3-compatible server."""

import json
import os
from pathlib import Path
from uuid import uuid4

import boto3
import pytest
import torch
from safetensors.torch import save_file

from converters.checkpoints.checkpoint import open_checkpoint
from pipeline.fetching.weights import fetch_weights
from pipeline.job.job import Job
from registry.errors import SourceError, StoreError
from registry.progress import silent
from tests.bad_models import sound
from tests.bench import SOUND, Bench
from tests.seaweed import BUCKET, SECRET_KEY


@pytest.fixture
def put(s3_environment, tmp_path):
    """Write objects under a prefix of its own, and return their URL."""
    prefix = uuid4().hex
    client = boto3.client("s3", endpoint_url=s3_environment.http)

    def put_one(name: str, data: bytes) -> str:
        client.put_object(Bucket=BUCKET, Key=f"{prefix}/{name}", Body=data)
        return f"s3://{BUCKET}/{prefix}/{name}"

    return put_one


def job(url, endpoint):
    source = {**SOUND["source"], "weights": url, "endpoint": endpoint}
    return Job.model_validate(SOUND | {"source": source})


def fetched(url, server, home, progress=silent):
    source = fetch_weights(job(url, server.http), home, progress).source
    assert source.endpoint is None
    return source.weights


def test_an_object_is_fetched_once_and_again_when_it_changed(put, s3_environment, tmp_path):
    seen = []
    url = put("w.pt", b"one" * 99)
    first = fetched(url, s3_environment, tmp_path, lambda *a: seen.append(a))
    assert fetched(url, s3_environment, tmp_path, pytest.fail) == first
    assert Path(first).read_bytes() == b"one" * 99
    assert seen == [(297, 297, "bytes")]
    changed = fetched(put("w.pt", b"two"), s3_environment, tmp_path)
    assert Path(changed).read_bytes() == b"two"
    assert fetched(url, s3_environment, tmp_path, pytest.fail) == changed


def test_what_a_killed_run_left_is_gone_on_with(put, s3_environment, tmp_path):
    data = os.urandom(20 << 20)
    url = put("w.safetensors", data)
    file = fetched(url, s3_environment, tmp_path)
    (stamp,) = tmp_path.rglob("w.safetensors.stamp")
    part = stamp.with_name(f"w.safetensors.{stamp.read_text()}.part")
    part.write_bytes(data[: 15 << 20])
    stamp.unlink()
    seen = []
    assert fetched(url, s3_environment, tmp_path, lambda done, *_: seen.append(done)) == file
    assert min(seen) > 15 << 20
    assert Path(file).read_bytes() == data
    assert not part.exists()


def test_a_sharded_index_brings_the_files_that_it_names(put, s3_environment, tmp_path):
    for number in (1, 2):
        save_file({f"w{number}": torch.full((2, 3), float(number))}, tmp_path / f"{number}")
        put(f"{number}.safetensors", (tmp_path / f"{number}").read_bytes())
    index = {"weight_map": {"w1": "1.safetensors", "w2": "2.safetensors"}}
    url = put("model.safetensors.index.json", json.dumps(index).encode())
    held = open_checkpoint(tmp_path.joinpath(fetched(url, s3_environment, tmp_path)))
    assert sorted(held.tensors) == ["w1", "w2"]
    assert len(held.files) == 3


@pytest.mark.parametrize(
    ("weight_map", "said"),
    [
        ({"w": "../../secret.safetensors"}, "names a file outside its folder"),
        ({"w": "lost.safetensors"}, "lost.safetensors: there is no such object"),
        ([], "is not the index of a sharded checkpoint"),
    ],
)
def test_an_index_that_lies_is_refused(weight_map, said, put, s3_environment, tmp_path):
    text = json.dumps({"weight_map": weight_map})
    url = put("model.safetensors.index.json", text.encode())
    with pytest.raises(SourceError, match=said):
        fetched(url, s3_environment, tmp_path)


@pytest.mark.parametrize(
    ("url", "kind", "said"),
    [
        (f"s3://{BUCKET}/no/such.pt", SourceError, "such.pt: there is no such object"),
        (f"s3://{BUCKET}/", SourceError, "names no object"),
        ("s3://models", SourceError, "names no object"),
        ("s3://me:hush@models/w.pt", StoreError, "credentials do not belong in a URL"),
    ],
)
def test_a_url_that_leads_nowhere_is_refused(url, kind, said, s3_environment, tmp_path):
    with pytest.raises(kind, match=said) as caught:
        fetched(url, s3_environment, tmp_path)
    assert "hush" not in str(caught.value)


def test_wrong_credentials_are_told_and_never_shown(put, s3_environment, tmp_path, monkeypatch):
    url = put("w.pt", b"one")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush-hush")
    with pytest.raises(StoreError, match="credentials") as caught:
        fetched(url, s3_environment, tmp_path)
    assert "hush-hush" not in str(caught.value)


def test_a_job_with_weights_elsewhere_runs_and_is_cached(put, s3_environment, tmp_path):
    torch.save(sound().state_dict(), tmp_path / "w.pt")
    url = put("w.pt", (tmp_path / "w.pt").read_bytes())
    variables = {"WEIGHTS": url, "ENDPOINT": s3_environment.http}
    bench = Bench(tmp_path, environment=variables)
    source = SOUND["source"] | {"weights": "${WEIGHTS}", "endpoint": "${ENDPOINT}"}
    bench.write(source=source)
    assert bench.call("check", "job.yaml").code == 0
    said = bench.call("run", "job.yaml", "--until", "split")
    assert said.code == 0, said.err
    again = bench.call("plan", "job.yaml")
    assert "cached" in next(line for line in again.out.splitlines() if "split" in line)
    texts = [path.read_bytes() for path in bench.home.rglob("*") if path.is_file()]
    assert not any(SECRET_KEY.encode() in text for text in texts)


def test_init_looks_at_weights_that_lie_elsewhere(put, s3_environment, tmp_path):
    torch.save(sound().state_dict(), tmp_path / "w.pt")
    url = put("w.pt", (tmp_path / "w.pt").read_bytes())
    bench = Bench(tmp_path)
    source = SOUND["source"]
    named = ("--factory", source["factory"], "--path", source["path"])
    said = bench.call("init", *named, "--weights", url, "--weights-endpoint", s3_environment.http)
    assert said.code == 0, said.err
    text = (tmp_path / "job.yaml").read_text()
    assert url in text
    assert s3_environment.http in text
    assert list(bench.home.glob("weights/*/*/w.pt"))
