"""`pipeline registry` as people call it."""

import json
import os

import pytest

from registry import Catalog
from registry.errors import IntegrityError, StoreError
from registry.layout import blob_key
from registry.store import open_store
from tests.drafts import write_draft
from tests.seaweed import Seaweed


@pytest.fixture
def catalog(ads_catalog):
    """Work where a store is."""
    return ads_catalog


@pytest.fixture
def run(registry_command):
    """Call the command."""
    return registry_command


def test_lists_models(catalog, run):
    code, out, _ = run("ls")
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["model", "versions", "newest", "channels"],
        ["ads", "2", "2", "candidate@1"],
    ]


def test_lists_versions(catalog, run):
    code, out, _ = run("ls", "ads")
    assert code == 0
    first, second = (line.split() for line in out.splitlines()[1:])
    assert (first[0], first[2:]) == ("1", ["9.8", "KiB", "cpu", "candidate"])
    assert (second[0], second[2:]) == ("2", ["9.8", "KiB", "cpu"])
    assert first[1].endswith("Z")


def test_shows_a_version(catalog, run):
    code, out, _ = run("show", "ads@candidate")
    assert code == 0
    for text in ("ads@1", "ids: int64[batch, 2]", "items: 10 rows of 4 float32", "openvino 2025.4",
                 "p50 0.12 ms, p95 0.25 ms"):  # fmt: skip
        assert text in out


def test_pulls_and_verifies(catalog, run, tmp_path):
    assert run("verify", "ads@1")[:2] == (0, "ads@1: 8 files, 9.8 KiB, all as published\n")
    code, out, _ = run("pull", "ads@1", "--out", "pulled")
    assert (code, out) == (0, "ads@1: 8 files, 9.8 KiB, verified, in pulled\n")
    assert (tmp_path / "pulled/builds/cpu/model.bin").read_bytes() == b"1"


def test_shows_a_history_without_what_could_steer_the_terminal(catalog, run):
    code, out, _ = run("log", "ads@candidate")
    assert code == 0
    newest, oldest = out.splitlines()[1:]
    assert newest.split()[0] == "candidate"
    assert newest.split()[3:] == ["2", "1", "bob", "slower"]
    assert oldest.endswith("newer ?[31m")
    assert "\x1b" not in out


def test_without_a_channel_the_history_is_of_all(catalog, run):
    catalog.move("ads", "production", 2, who="cat", why="it is good")
    _, out, _ = run("log", "ads")
    assert [line.split()[0] for line in out.splitlines()[1:]] == [
        "production",
        "candidate",
        "candidate",
    ]


def test_a_model_without_a_version_shows_all_of_them(catalog, run):
    assert "candidate" in run("show", "ads")[1].splitlines()[-2]
    assert "candidate" not in run("show", "ads@1")[1]


def test_a_damaged_version_is_marked_and_hides_no_other(catalog, run, tmp_path):
    (file,) = (tmp_path / ".pipeline/store").rglob("versions/000002.json")
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:100])
    code, out, err = run("ls", "ads")
    assert code == 0
    assert [line.split()[:2][-1] for line in out.splitlines()[2:]] == ["damaged"]
    assert "Invalid JSON" in err
    first, second = json.loads(run("ls", "ads", "--json")[1])["versions"]
    assert "damaged" not in first
    assert "Invalid JSON" in second["damaged"]


def test_speaks_json(catalog, run):
    models = json.loads(run("ls", "--json")[1])["models"]
    assert models == [{"model": "ads", "versions": [1, 2], "channels": {"candidate": 1}}]
    versions = json.loads(run("ls", "ads", "--json")[1])["versions"]
    assert [one["version"] for one in versions] == [1, 2]
    assert json.loads(run("show", "ads", "--json")[1])["number"] == 2
    assert json.loads(run("verify", "ads", "--json")[1])["intact"] is True
    assert json.loads(run("pull", "ads", "--out", "x", "--json")[1])["folder"] == "x"
    assert [m["who"] for m in json.loads(run("log", "ads@candidate", "--json")[1])["moves"]] == [
        "bob",
        "ann",
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("show", "adz"), "Did you mean 'ads'?"),
        (("ls", "adz"), "Did you mean 'ads'?"),
        (("pull", "ads@9", "--out", "x"), "ads has no version 9"),
        (("log", "ads@1"), "names a version. Write MODEL or MODEL@CHANNEL"),
        (("ls", "--store", "nowhere"), "nowhere: there is no such folder"),
        (("log", "ads@candidates"), "Did you mean 'candidate'?"),
        (("show", "ads", "--store", "ftp://x"), "no such kind of store"),
    ],
)
def test_what_is_not_there_is_an_error_of_the_store(catalog, run, arguments, text):
    code, out, err = run(*arguments)
    assert (code, out) == (StoreError.exit_code, "")
    assert text in err


def test_a_corrupt_blob_has_its_own_exit_code(catalog, run, tmp_path):
    key = blob_key(catalog.version("ads", 1).files["job.yaml"].digest)
    path = tmp_path / ".pipeline/store" / key
    path.chmod(0o644)
    path.write_bytes(b"schema: 2\n")
    code, _, err = run("verify", "ads")
    assert code == IntegrityError.exit_code
    assert f"job.yaml: blob {key}" in err


def test_an_empty_store_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PIPELINE_STORE", str(tmp_path / "nothing"))
    (tmp_path / "nothing").mkdir()
    assert run("ls")[:2] == (0, f"{tmp_path}/nothing holds no models\n")


def test_reads_a_bucket(s3_environment: Seaweed, run, monkeypatch, tmp_path):
    where = ("--store", f"s3://models/{os.urandom(8).hex()}", "--endpoint", s3_environment.https)
    draft = write_draft(tmp_path / "draft")
    Catalog(open_store(where[1], endpoint=where[3])).publish(draft, tmp_path / "draft")
    assert run("ls", *where)[1].splitlines()[1].split() == ["ads", "1", "1"]
    assert run("pull", "ads", "--out", str(tmp_path / "pulled"), *where)[0] == 0
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    code, _, err = run("ls", *where)
    assert code == StoreError.exit_code
    assert "the secret key is wrong" in err


@pytest.mark.parametrize(
    "arguments",
    [("promote", "ads@2"), ("drop", "ads@candidate"), ("rm", "ads@2"), ("rollback", "ads")],
)
def test_a_reason_that_says_nothing_is_refused_and_nothing_is_done(catalog, run, arguments):
    before = catalog.overview()
    code, _, err = run(*arguments, "--why", " ")
    assert code == StoreError.exit_code
    assert "--why is empty. Say in a few words why" in err
    assert catalog.overview() == before
