import json
import time
from uuid import uuid4

import pytest

from pipeline.cli import call
from registry.catalog import Catalog
from registry.layout import blob_key
from registry.store import open_store
from targets.serving.presence import Presence, announce
from tests.seaweed import BUCKET
from tests.servers import Crowd, running
from tests.versions import publish


@pytest.fixture
def catalog(tmp_path):
    """Return a catalog with two versions, the first of them in production."""
    catalog = Catalog(open_store(str(tmp_path / "store")))
    for seed in (1, 2):
        publish(catalog, tmp_path, seed, runtimes=("onnxruntime",))
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    return catalog


@pytest.fixture
def pipeline(tmp_path):
    """Run a command with this test's store and cache."""

    def run(*arguments):
        where = ["--store", str(tmp_path / "store"), "--home", str(tmp_path / "cache")]
        return call([*arguments, *where])

    return run


def live(catalog):
    return catalog.channel("ranker", "production").version


def test_a_rollout_moves_the_channel_and_says_who_and_why(catalog, pipeline, capsys):
    assert pipeline("rollout", "ranker@2", "--why", "it ranks better") == 0
    steps = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert steps[:6] == ["contract", "pull", "load", "compare", "move", "serve"]
    move = catalog.channel("ranker", "production")
    assert (move.version, move.previous, move.why) == (2, 1, "it ranks better")
    assert move.who


def test_a_rollout_in_json_is_one_object_a_step(catalog, pipeline, capsys):
    assert pipeline("rollout", "ranker@2", "--json") == 0
    *steps, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [step["step"] for step in steps][-2:] == ["move", "serve"]
    assert last["version"] == 2


def test_a_rollback_goes_back_and_no_further_than_the_first(catalog, pipeline, capsys):
    assert pipeline("rollout", "ranker") == 0
    assert pipeline("rollback", "ranker") == 0
    assert live(catalog) == 1
    assert pipeline("rollback", "ranker") == 21
    assert "no version to go back to" in capsys.readouterr().err
    assert pipeline("rollback", "ranker", "--version", "2") == 0
    assert live(catalog) == 2


def test_no_request_is_lost_or_mixed_up_while_versions_come_and_go(
    catalog, pipeline, tmp_path, capsys
):
    seeds = {"1": 1, "2": 2, "3": 3}
    publish(catalog, tmp_path, 3, runtimes=("onnxruntime",))
    with running(tmp_path / "store", tmp_path / "cache", "--poll", "0.3") as server:
        with Crowd(server.port, seeds) as crowd:
            for command in (
                ("rollout", "ranker@2"),
                ("rollback", "ranker"),
                ("rollout", "ranker@3"),
                ("rollout", "ranker@2"),
                ("rollback", "ranker"),
            ):
                assert pipeline(*command) == 0, capsys.readouterr().err
                time.sleep(0.2)
        assert server.version() == "3"
        assert "the server at 127.0.0.1" in capsys.readouterr().out
        assert "Traceback" not in server.log.read_text()
    assert crowd.faults == []
    assert set(crowd.versions) == set(seeds)


def test_versions_come_out_of_s3_as_well(s3_environment, tmp_path, capsys):
    store = f"s3://{BUCKET}/{uuid4().hex}"
    where = ("--endpoint", s3_environment.http)
    catalog = Catalog(open_store(store, endpoint=s3_environment.http))
    for seed in (1, 2):
        publish(catalog, tmp_path, seed, runtimes=("onnxruntime",))
    catalog.move("ranker", "production", 1, who="me", why="the first one")
    with running(store, tmp_path / "cache", *where) as server:
        named = ("--store", store, *where, "--home", str(tmp_path / "cache"))
        assert call(["rollout", "ranker@2", *named]) == 0, capsys.readouterr().err
        assert server.version() == "2"
    assert "the server at 127.0.0.1" in capsys.readouterr().out


def test_a_version_that_no_host_can_run_is_refused_while_the_old_one_serves(
    catalog, pipeline, tmp_path, capsys
):
    publish(catalog, tmp_path, 3, isa=("flag_of_no_cpu",))
    with running(tmp_path / "store", tmp_path / "cache") as server:
        assert pipeline("rollout", "ranker@3") == 16
        assert "flag_of_no_cpu" in capsys.readouterr().err
        assert server.version() == "1"
    assert live(catalog) == 1


def test_a_version_that_answers_otherwise_than_recorded_is_refused(
    catalog, pipeline, tmp_path, capsys
):
    publish(catalog, tmp_path, 3, recorded_shift=0.5, runtimes=("onnxruntime",))
    assert pipeline("rollout", "ranker@3") == 21
    assert "score: 16 of 16 values are off" in capsys.readouterr().err
    assert live(catalog) == 1


def test_a_version_that_is_corrupt_is_refused(catalog, pipeline, tmp_path, capsys):
    files = catalog.version("ranker", 2).files
    blob = tmp_path / "store" / blob_key(files["tables/items/000001.safetensors"].digest)
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes()[:-1])
    assert pipeline("rollout", "ranker@2") == 17
    assert "tables/items/000001.safetensors" in capsys.readouterr().err
    assert live(catalog) == 1


def test_a_version_that_the_server_cannot_load_is_backed_out(catalog, pipeline, tmp_path, capsys):
    publish(catalog, tmp_path, 3, runtimes=("openvino",))
    options = ("--target", "onnxruntime", "--poll", "600")
    with running(tmp_path / "store", tmp_path / "cache", *options) as server:
        assert pipeline("rollout", "ranker@3") == 21
        assert "production points to version 1 again" in capsys.readouterr().err
        assert server.version() == "1"
    assert [move.version for move in catalog.history("ranker", "production")] == [1, 3, 1]
    assert "failed" in catalog.channel("ranker", "production").why


def test_a_server_that_died_is_not_waited_for(catalog, pipeline, tmp_path, capsys):
    announce(
        tmp_path / "cache",
        Presence(
            model="ranker",
            reference="ranker@production",
            store=catalog.store.url,
            host="127.0.0.1",
            port=1,
            pid=1,
            instance="gone",
        ),
    )
    assert pipeline("rollout", "ranker@2") == 0
    assert "no server runs from" in capsys.readouterr().out


def test_an_environment_that_is_not_there_is_named(catalog, pipeline, capsys):
    assert pipeline("rollout", "ranker@2", "--to", "moon") == 21
    assert "no environment 'moon'. There is local" in capsys.readouterr().err
