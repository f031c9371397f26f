"""`pipeline registry gc`: shown first, then done, by a rule."""

import json
import os
import time
from datetime import timedelta
from pathlib import Path

import pytest

from registry import Catalog
from registry.cleaning.retention import Rule
from registry.errors import StoreError
from tests.drafts import write_draft


@pytest.fixture
def five(ads_catalog: Catalog, tmp_path: Path) -> Catalog:
    """Have five versions: the first was in a channel, the second has a tag, no channel is at 1."""
    for answer in (b"3", b"4", b"5"):
        ads_catalog.publish(write_draft(tmp_path / "draft", answer=answer), tmp_path / "draft")
    ads_catalog.tag("ads", "autumn", 2, who="ann", why="kept")
    ads_catalog.move("ads", "candidate", 5, who="ann", why="newest")
    return ads_catalog


def days_pass(folder: Path, days: float) -> None:
    """Let everything in a store be older than it is."""
    then = time.time() - days * 24 * 3600
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


def test_a_rule_keeps_the_newest_the_served_and_the_tagged(five):
    assert five.let_go("ads", Rule(last=1)) == (3, 4)
    assert five.let_go("ads", Rule(last=2)) == (3,)
    assert five.let_go("ads", Rule(last=9)) == ()
    assert five.let_go("ads", Rule(last=1, served=timedelta(days=1))) == (3, 4)
    assert five.let_go("ads", Rule(last=1, served=timedelta(0))) == (1, 3, 4)


def test_shows_what_it_would_do_and_does_nothing(five, registry_command):
    code, out, _ = registry_command("gc", "--keep-last", "1")
    assert code == 0
    assert out.splitlines()[:2] == ["ads@3 would be removed", "ads@4 would be removed"]
    assert "add --apply" in out
    assert five.versions("ads") == (1, 2, 3, 4, 5)


def test_removes_versions_first_and_their_bytes_after_the_grace_period(
    five, registry_command, tmp_path
):
    code, out, _ = registry_command("gc", "--keep-last", "1", "--keep-served", "0", "--apply")
    assert code == 0
    assert five.versions("ads") == (2, 5)
    assert "removed  0 blobs" in out
    assert five.removal("ads", 1).why == "not among the 1 newest, nor in a channel within 0 days"
    days_pass(tmp_path / ".pipeline/store", days=8)
    seen = json.loads(registry_command("gc", "--json")[1])
    assert (seen["applied"], seen["garbage"]) == (False, {"blobs": 3, "bytes": 3})
    assert seen["removed"] is None
    done = json.loads(registry_command("gc", "--apply", "--json")[1])
    assert (done["applied"], done["removed"]) == (True, {"blobs": 3, "bytes": 3})
    for number in (2, 5):
        five.verify(five.version("ads", number))
    assert json.loads(registry_command("gc", "--json")[1])["garbage"]["blobs"] == 0


def test_leftovers_of_processes_that_died_are_tidied(five, registry_command, tmp_path):
    store = tmp_path / ".pipeline/store"
    for name in ("publishing/dead.json", "probes/dead", "sweeping/dead.json"):
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_bytes(b'{"digests": []}')
    assert json.loads(registry_command("gc", "--apply", "--json")[1])["left_overs"] == 0
    days_pass(store, days=2)
    assert json.loads(registry_command("gc", "--apply", "--json")[1])["left_overs"] == 3
    assert list(five.store.entries("changes/")) == []  # which are no left-overs


def test_a_store_that_is_not_there_is_not_made(registry_command, tmp_path, monkeypatch):
    monkeypatch.setenv("PIPELINE_STORE", str(tmp_path / "nothing"))
    code, _, err = registry_command("gc")
    assert (code, "there is no such folder" in err) == (StoreError.exit_code, True)
    (tmp_path / "nothing").mkdir()
    assert "garbage  0 blobs, 0 B" in registry_command("gc")[1]
    assert list((tmp_path / "nothing").iterdir()) == []
