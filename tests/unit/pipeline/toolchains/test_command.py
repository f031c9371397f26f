"""`pipeline toolchain`."""

import json

from pipeline.cli import call


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
