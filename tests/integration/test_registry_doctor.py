"""A store is tried out, and what follows is said."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from registry import Catalog
from registry.checkup.checks import CHECKS
from registry.errors import StoreError
from registry.layout import PROBES
from registry.store import open_store, s3_create
from tests.places import Place
from tests.rclone import rclone
from tests.seaweed import Seaweed


@pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)
def test_a_good_store_passes_every_check_and_keeps_nothing_of_them(place: Place):
    catalog = Catalog(place.open())
    found = list(catalog.examine())
    assert [finding.check for finding in found] == list(CHECKS)
    assert [finding.outcome.passed for finding in found] == [True] * len(CHECKS), found
    left = [entry.key for entry in catalog.store.entries(PROBES)]
    assert [key for key in left if "verdict" not in key] == []


def test_an_endpoint_without_conditional_writes_is_told_apart(
    s3_environment: Seaweed, tmp_path, registry_command
):
    with rclone(tmp_path) as endpoint:
        told = registry_command("doctor", "--store", "s3://models/x", "--endpoint", endpoint)
        assert told[0] == StoreError.exit_code
        assert "create once           no" in told[1]
        assert "keep a blob           yes" in told[1]
        assert "add ?single_writer=true" in told[1]
        assert "does not keep versions safe: create once, create in a race" in told[2]
        told = registry_command(
            "doctor", "--store", "s3://models/x", "--endpoint", endpoint, "--json"
        )
    said = json.loads(told[1])
    assert said["safe"] is False
    assert {check["check"]: check["passed"] for check in said["checks"]}["keep a blob"] is True


def test_the_command_says_that_a_folder_is_safe(ads_catalog, registry_command):
    code, out, _ = registry_command("doctor")
    assert code == 0
    assert out.splitlines()[-1].endswith(".pipeline/store keeps versions safe")
    assert json.loads(registry_command("doctor", "--json")[1])["safe"] is True


def test_a_store_that_cannot_be_reached_is_an_error(s3_environment: Seaweed, registry_command):
    where = ("--store", "s3://models/x?attempts=1", "--endpoint", "http://127.0.0.1:9")
    code, out, err = registry_command("doctor", *where)
    assert (code, out, "cannot be reached" in err) == (StoreError.exit_code, "", True)


@pytest.mark.parametrize("place", ["s3 over http"], indirect=True)
def test_an_endpoint_is_tried_out_once_by_all_who_publish_there(place: Place, monkeypatch):
    probes: list[str] = []
    real = s3_create.probe
    monkeypatch.setattr(s3_create, "probe", lambda *told: (probes.append(told[0]), real(*told)))
    assert place.open().create("a", b".")
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda n: place.open().create(f"b{n}", b"."), range(4)))
    assert len(probes) == 1
    (verdict,) = [entry.key for entry in place.open().entries(PROBES)]
    place.overwrite(verdict, b"something else")
    assert place.open().create("c", b".")
    assert len(probes) == 2


@pytest.mark.parametrize("place", ["s3 over http"], indirect=True)
def test_a_verdict_on_another_endpoint_is_not_believed(place: Place):
    store = place.open()
    store.create("a", b".")
    (verdict,) = [entry.key for entry in store.entries(PROBES)]
    other = open_store(place.url, endpoint=place.endpoint.replace("127.0.0.1", "localhost"))
    other.create("b", b".")
    assert len([entry.key for entry in store.entries(PROBES)]) == 2
    assert verdict in {entry.key for entry in store.entries(PROBES)}
