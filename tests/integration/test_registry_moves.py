"""Channels, tags and removed versions, as people and CI handle them."""

import json
import re
from datetime import timedelta

import pytest

from registry.errors import RolloutError, StoreError
from registry.layout import BLOBS
from registry.progress import silent


def test_promotes_and_says_where_the_channel_pointed(ads_catalog, registry_command):
    told = registry_command("promote", "ads@2", "--channel", "candidate", "--why", "it is faster")
    assert told[:2] == (0, "ads@candidate is version 2, before it was 1\n")
    assert ads_catalog.channel("ads", "candidate").why == "it is faster"
    told = registry_command("promote", "ads@2", "--channel", "candidate", "--why", "again")
    assert told[:2] == (0, "ads@candidate is version 2 already\n")
    told = registry_command(
        "promote", "ads@candidate", "--channel", "production", "--why", "x", "--json"
    )
    said = json.loads(told[1])
    assert (said["model"], said["channel"], said["version"], said["already"]) == (
        "ads",
        "production",
        2,
        False,
    )


def test_rolls_back_one_version_at_a_time(ads_catalog, registry_command):
    for number in (1, 2):
        ads_catalog.move("ads", "production", number, who="ann", why="newer")
    assert registry_command("rollback", "ads")[:2] == (
        0,
        "ads@production is version 1, before it was 2\n",
    )
    code, _, err = registry_command("rollback", "ads")
    assert (code, "no version to go back to" in err) == (RolloutError.exit_code, True)
    assert registry_command("rollback", "ads", "--version", "2", "--json")[0] == 0
    assert ads_catalog.resolve("ads@production").number == 2


def test_tags_a_version_and_lists_tags(ads_catalog, registry_command):
    told = registry_command("tag", "ads@1", "autumn", "--why", "before the sale")
    assert told[:2] == (0, "ads@autumn is version 1 for good\n")
    header, row = registry_command("tag", "ads")[1].splitlines()
    assert header.split() == ["tag", "version", "when", "who", "why"]
    assert row.split()[:2] == ["autumn", "1"]
    assert row.endswith("before the sale")
    assert json.loads(registry_command("tag", "ads", "--json")[1])["tags"][0]["name"] == "autumn"
    assert "autumn" in registry_command("ls", "ads")[1].splitlines()[1]
    assert registry_command("show", "ads@autumn")[0] == 0


def test_a_removed_version_is_listed_no_more(ads_catalog, registry_command):
    assert registry_command("rm", "ads@2", "--why", "it leaks")[0] == 0
    assert [line.split()[0] for line in registry_command("ls", "ads")[1].splitlines()] == [
        "version",
        "1",
    ]
    code, _, err = registry_command("pull", "ads@2", "--out", "x")
    assert (code, "it leaks" in err) == (StoreError.exit_code, True)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("promote", "ads@9", "--channel", "production", "--why", "x"), "ads has no version 9"),
        (("promote", "ads@1", "--channel", "7", "--why", "x"), "a number is a version"),
        (("rollback", "ads"), "ads has no channel or tag 'production'"),
        (("rollback", "nobody"), "there is no model 'nobody'"),
        (("tag", "ads@1", "autumn"), "say why it is given"),
        (("tag", "ads@1", "7", "--why", "x"), "tag '7': a number is a version"),
        (("tag", "ads@1", "../x", "--why", "x"), "tag '../x': not a name"),
        (("tag", "adz"), "there is no model 'adz'"),
        (("rm", "ads@1", "--why", "x"), "ads@1 is held by channel candidate"),
        (("rm", "ads", "--why", "x"), "names no single version. Write MODEL@7"),
    ],
)
def test_what_cannot_be_is_told(ads_catalog, registry_command, arguments, text):
    code, out, err = registry_command(*arguments)
    assert (code, out) == (StoreError.exit_code, "")
    assert text in err


def test_a_channel_is_dropped_and_its_history_tells_it(ads_catalog, registry_command):
    told = registry_command("drop", "ads@candidate", "--why", "nobody uses it")
    assert told[:2] == (0, "ads@candidate points nowhere any more; it was version 1\n")
    assert ads_catalog.channel("ads", "candidate") is None
    assert ads_catalog.pointers("ads") == {}
    assert ads_catalog.overview().channels == {}
    code, _, err = registry_command("show", "ads@candidate")
    assert code == StoreError.exit_code
    assert "no channel or tag 'candidate'" in err
    assert "Who dropped it: pipeline registry log ads@candidate" in err
    assert "There is: none" in registry_command("show", "ads@candidat")[2]
    newest = registry_command("log", "ads@candidate")[1].splitlines()[1].split()
    assert (newest[0], newest[1], newest[3:5]) == ("candidate", "3", ["1", "dropped"])
    again = json.loads(registry_command("drop", "ads@candidate", "--why", "x", "--json")[1])
    assert (again["number"], again["dropped"], again["why"]) == (3, True, "nobody uses it")
    ads_catalog.move("ads", "candidate", 1, who="ann", why="back")
    last = ads_catalog.history("ads", "candidate")[-1]
    assert (last.number, last.version, last.previous, last.dropped) == (4, 1, None, False)
    code, _, err = registry_command("rollback", "ads", "--channel", "candidate")
    assert code == RolloutError.exit_code
    assert "ads@candidate: there is no version to go back to" in err


def test_what_only_a_dropped_channel_held_is_removed_and_swept(ads_catalog, registry_command):
    assert "or drop;" in registry_command("rm", "ads@1", "--why", "old")[2]
    assert registry_command("drop", "ads@candidate", "--why", "old")[0] == 0
    for number in (1, 2):
        assert registry_command("rm", f"ads@{number}", "--why", "old")[0] == 0
    sweeper = ads_catalog.sweeper(timedelta(0))
    swept = sweeper.sweep(sweeper.find(), silent)
    assert swept.blobs > 0
    assert not list(ads_catalog.store.entries(BLOBS))


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("ads@7", "names no channel. Write MODEL@CHANNEL"),
        ("ads", "names no channel. Write MODEL@CHANNEL"),
        ("ads@candidat", "no channel or tag 'candidat' .* Did you mean 'candidate'"),
        ("adz@candidate", "no model 'adz'"),
    ],
)
def test_what_is_no_channel_is_not_dropped(ads_catalog, registry_command, reference, fault):
    code, _, err = registry_command("drop", reference, "--why", "x")
    assert code == StoreError.exit_code
    assert re.search(fault, err)
