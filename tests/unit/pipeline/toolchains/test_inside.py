"""Stages run in the toolchain that their task names."""

import platform
from pathlib import Path

import pytest

from pipeline.processes.setting import ROOT, Setting
from pipeline.running.run import Wishes, execute
from pipeline.showing.watch import Unwatched
from pipeline.toolchains import CURRENT, inside, place
from pipeline.toolchains.build import sync
from pipeline.toolchains.of_target import fits
from registry.errors import ToolchainError, WorkerError
from registry.progress import silent
from targets import TARGETS


@pytest.fixture
def known(small, monkeypatch):
    """A toolchain that is in the table; it borrows what the worker imports from here."""
    toolchain = small()
    for module in (
        "pipeline.toolchains",
        "pipeline.toolchains.inside",
        "pipeline.planning.planner",
        "pipeline.running.diary",
    ):
        monkeypatch.setattr(f"{module}.find_toolchain", lambda name: toolchain)
    import pydantic  # noqa: PLC0415

    monkeypatch.setenv("PYTHONPATH", str(Path(pydantic.__file__).parents[1]))
    return toolchain


def test_a_toolchain_that_is_not_built_is_told_before_anything_runs(known, node, lay_out):
    plan = lay_out(node("one"), node("two", "one", toolchain="small"))
    result = execute(plan, Wishes(), Unwatched())
    assert isinstance(result.error, ToolchainError)
    assert "pipeline toolchain sync small" in str(result.error)
    assert {stage.outcome for stage in result.record.stages} == {"skipped"}


def test_a_stage_runs_in_its_toolchain(known, node, lay_out):
    sync(known, silent, lambda: None)
    plan = lay_out(node("one", do="tell_python", toolchain="small"))
    result = execute(plan, Wishes(), Unwatched())
    assert result.error is None
    told = (plan.steps[0].folder / "output" / "text").read_text().splitlines()
    assert told == [str(place.folder_of(known)), "42"]
    script = (plan.steps[0].folder / "reproduce.sh").read_text()
    assert str(place.folder_of(known) / "bin" / "python") in script


@pytest.mark.parametrize(
    ("do", "words"),
    [
        ("segfault", "its process was ended by SIGSEGV: native code of a framework crashed"),
        ("abort", "its process was ended by SIGABRT: native code of a framework gave up"),
        ("illegal", "its process was ended by SIGILL: this CPU lacks an instruction"),
        ("leave", "its process left with code 3 before the stage was done"),
        ("leave_at_once", "its process left with code 0 before the stage was done"),
        ("hang", "its process gave no sign of life for 3 s"),
        ("allocate", "ran out of memory"),
        ("be_killed", "its process was ended by SIGKILL"),
    ],
)
def test_a_death_in_there_names_stage_and_cause(known, node, lay_out, do, words):
    sync(known, silent, lambda: None)
    plan = lay_out(node("one", do=do, toolchain="small"))
    result = execute(plan, Wishes(patience=3.0), Unwatched())
    assert isinstance(result.error, WorkerError)
    assert str(result.error).startswith("one: ")
    assert words in str(result.error)


def test_what_it_pins_is_part_of_the_key(known, node, lay_out):
    here, there = lay_out(node("one"), node("two", toolchain="small")).steps
    assert here.material.tools == {"python": platform.python_version()}
    assert there.material.tools["tinypack"] == "1.0"
    assert there.material.tools["toolchain"] == str(known)


def test_a_stage_of_this_environment_is_started_as_ever():
    setting = Setting()
    assert inside.inside(setting, CURRENT) is setting


def test_where_we_are_installed_beside_other_packages_only_ours_are_lent(tmp_path, monkeypatch):
    monkeypatch.setenv("PIPELINE_TOOLCHAINS", str(tmp_path / "toolchains"))
    assert inside.our_code() == ROOT
    monkeypatch.setattr(inside, "ROOT", Path(inside.sysconfig.get_path("purelib")))
    folder = inside.our_code()
    assert {link.name for link in folder.iterdir()} == {
        "pipeline",
        "converters",
        "targets",
        "registry",
    }
    assert inside.our_code() == folder


@pytest.mark.parametrize("target", TARGETS, ids=lambda row: row.runtime)
def test_every_runtime_is_in_its_own_toolchain(target):
    assert fits(inside.find_toolchain(target.toolchain), target)
