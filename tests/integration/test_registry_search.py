"""Versions found by their fields, and what they take up."""

import json
from pathlib import Path

import pytest

from registry.errors import IntegrityError, StoreError
from registry.layout import numbered, versions_prefix
from tests.drafts import write_draft


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        (["model=ads"], [1, 2]),
        (["model=b*"], []),
        (["version>1"], [2]),
        (["version<=1", "target=cpu"], [1]),
        (["runtime=openvino", "format=openvino_ir", "precision=f32"], [1, 2]),
        (["flag=avx512*"], []),
        (["flag!=avx512*", "version=2"], [2]),
        (["table=items", "rows>=10", "rows<11"], [1, 2]),
        (["tool=t 1"], [1, 2]),
        (["created>=2020", "created<2999"], [1, 2]),
        (["created=2*"], [1, 2]),
        (["created=1999"], []),
        (["version!=1.0"], [2]),
        (["error>0.05", "error<=0.1"], [1, 2]),
        (["file=builds/*/model.bin", "bytes>9000"], [1, 2]),
    ],
)
def test_finds_versions_that_meet_all_conditions(ads_catalog, conditions, found):
    assert [version.number for version in ads_catalog.search(conditions)] == found


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("targets=x", "there is no field 'targets'. The fields are model, version"),
        ("target", "not FIELD=VALUE"),
        ("target~x", "not FIELD=VALUE"),
        ("version>x", "version is a number"),
        ("version>nan", "version is a number"),
        ("created>=bogus", "'bogus' is no time"),
        ("created>=2026-13", "'2026-13' is no time"),
        ("created<2026-02-30", "'2026-02-30' is no time"),
    ],
)
def test_says_what_is_wrong_with_a_condition(ads_catalog, registry_command, condition, text):
    code, out, err = registry_command("search", condition)
    assert (code, out) == (StoreError.exit_code, "")
    assert text in err


@pytest.mark.parametrize("length", [4, 7, 10, 20])
def test_times_are_compared_as_far_as_the_value_goes(ads_catalog, length):
    created = f"{ads_catalog.version('ads', 2).created:%Y-%m-%dT%H:%M:%SZ}"[:length]
    alike = ads_catalog.search([f"created>={created}", f"created<={created}"])
    assert 2 in [version.number for version in alike]
    assert 2 in [version.number for version in ads_catalog.search([f"created={created}"])]
    assert list(ads_catalog.search([f"created!={created}", "version=2"])) == []
    for sign in "<>":
        others = ads_catalog.search([f"created{sign}{created}"])
        assert 2 not in [version.number for version in others]


def test_the_command_lists_them(ads_catalog, registry_command):
    assert registry_command("search", "version=2")[1].splitlines()[1].split()[0] == "ads@2"
    assert registry_command("search", "version=3")[1] == "no version meets all of that\n"
    found = json.loads(registry_command("search", "version>1", "--json")[1])["versions"]
    assert [one["version"] for one in found] == [2]


@pytest.mark.parametrize("how", [(), ("--json",)], ids=["text", "json"])
def test_a_damaged_version_is_passed_over_and_told(ads_catalog, registry_command, how):
    key = numbered(versions_prefix("ads"), 1)
    path = Path(".pipeline/store") / key
    path.unlink()
    path.write_bytes(b"{}")
    code, out, err = registry_command("search", "model=ads", *how)
    assert code == IntegrityError.exit_code
    assert f"passed over: {key} cannot be believed" in err
    assert "passed over" not in out
    if how:
        told = json.loads(out)
        assert [one["version"] for one in told["versions"]] == [2]
        assert key in told["damaged"][0]
    else:
        assert [line.split()[0] for line in out.splitlines()] == ["version", "ads@2"]


def test_own_bytes_are_those_that_nothing_else_has(ads_catalog, registry_command, tmp_path):
    draft = write_draft(tmp_path / "draft", model="feed", answer=b"4" * 4096)
    ads_catalog.publish(draft, tmp_path / "draft")
    usages = ads_catalog.usage()
    whole = usages.versions["ads", 1].bytes
    assert (usages.versions["ads", 1].own, usages.versions["ads", 2].own) == (1, 1)
    assert usages.versions["feed", 1].own == 4096
    assert (usages.models["ads"].own, usages.models["ads"].shared) == (2, whole - 1)
    assert usages.total == whole + 1 + 4096
    lines = [line.split() for line in registry_command("du")[1].splitlines()]
    assert [line[0] for line in lines] == ["model", "ads", "feed", "13.8"]
    assert usages.models["ads"].bytes == whole + 1
    assert registry_command("du", "ads")[1].splitlines()[-1] == "9.8 KiB in all"
    one, two = json.loads(registry_command("du", "ads", "--json")[1])["usage"]
    assert (one["name"], one["own"], two["bytes"]) == ("ads@1", 1, whole)
    assert "no model 'adz'" in registry_command("du", "adz")[2]
