"""`pipeline toolchain`."""

import json
import shutil

from pipeline.cli import call
from pipeline.toolchains import place
from pipeline.toolchains.build import sync
from registry.progress import silent


def test_they_are_listed_with_what_they_are_for(capsys):
    assert call(["toolchain", "ls"]) == 0
    out = capsys.readouterr().out
    assert "current" in out
    assert "support of ipex: none: 2.8.0 is the last release" in out


def test_they_are_listed_for_machines(capsys):
    assert call(["toolchain", "ls", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["toolchains"]}
    assert rows["current"]["state"] == "here"
    assert rows["ipex"]["pins"]["torch"] == "2.8.0"


def test_one_that_lost_a_package_is_not_called_built(capsys, small, monkeypatch):
    toolchain = small()
    monkeypatch.setattr("pipeline.toolchains.TOOLCHAINS", (toolchain,))
    sync(toolchain, silent, lambda: None)
    assert listed(capsys) == {"small": "built"}
    (packages,) = place.folder_of(toolchain).glob("lib/python*/site-packages")
    (packages / "tinypack.py").rename(packages / "aside.py")
    assert place.missing(toolchain) == ("module tinypack",)
    assert listed(capsys) == {"small": "damaged"}
    (packages / "aside.py").rename(packages / "tinypack.py")
    shutil.rmtree(packages / "tinypack-1.0.dist-info")
    assert call(["toolchain", "ls"]) == 0
    out = capsys.readouterr().out
    assert "small lacks tinypack 1.0. Run: rm -r " in out
    assert "pipeline toolchain sync small" in out


def listed(capsys) -> dict[str, str]:
    assert call(["toolchain", "ls", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["toolchains"]
    return {row["name"]: row["state"] for row in rows}


def test_this_environment_needs_no_building(capsys):
    assert call(["toolchain", "sync", "current", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["built"] is False


def test_one_that_there_is_not_is_an_error_that_names_those_that_there_are(capsys):
    assert call(["toolchain", "doctor", "abacus"]) == 24
    assert "no toolchain 'abacus'; there are current, ipex" in capsys.readouterr().err


def test_a_toolchain_that_is_ill_is_an_error(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PIPELINE_TOOLCHAINS", str(tmp_path))
    assert call(["toolchain", "doctor", "ipex"]) == 24
    assert "pipeline toolchain sync ipex" in capsys.readouterr().out
