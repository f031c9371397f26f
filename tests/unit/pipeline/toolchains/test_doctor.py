"""What is wrong with a toolchain is found, and what mends it is said."""

import shutil

import pytest

from pipeline.toolchains import CURRENT, TOOLCHAINS, find_toolchain, place
from pipeline.toolchains.build import sync
from pipeline.toolchains.doctor import _death, _read, examine
from pipeline.toolchains.toolchain import Toolchain
from registry.progress import silent


def faults(toolchain: Toolchain) -> dict[str, str]:
    return {found.about: found.text for found in examine(toolchain) if not found.well}


def test_this_environment_is_well():
    found = {one.about: one for one in examine(find_toolchain(CURRENT))}
    assert all(one.well for one in found.values()), found
    assert "multiply" in found["graph"].text


def test_a_toolchain_that_is_not_built_says_how_to_build_it(small):
    assert "pipeline toolchain sync small" in faults(small())["packages"]


def test_a_flag_that_the_cpu_lacks_is_named(small):
    assert "abacus" in faults(small(isa=("abacus",)))["cpu"]


def test_a_python_that_does_not_fit_is_told(small):
    assert "needs Python >=4" in faults(small(python=">=4"))["python"]


def test_what_does_not_start_says_how_to_build_it_anew(small):
    toolchain = small()
    sync(toolchain, silent, lambda: None)
    shutil.rmtree(place.folder_of(toolchain) / "lib")
    (text,) = faults(toolchain).values()
    assert "rm -r" in text
    assert "toolchain sync small" in text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"imported": {"tinypack": [None, "ImportError: x"]}}, "does not import: ImportError: x"),
        ({"imported": {"tinypack": ["0.9", None]}}, "is 0.9, and 1.0 is pinned"),
        ({"imported": {}, "fault": "ArithmeticError: 2 and 2"}, "ArithmeticError: 2 and 2"),
    ],
)
def test_what_its_process_says_is_told(small, answer, words):
    empty = {"imported": {}, "said": None, "fault": None}
    found = [one for one in _read(small(), empty | answer) if not one.well]
    assert [words in one.text for one in found] == [True]


def test_an_illegal_instruction_is_told_to_be_one(small):
    assert "SIGILL: this CPU lacks an instruction" in _death(small(), -4, "")


@pytest.mark.parametrize("toolchain", TOOLCHAINS, ids=lambda one: one.name)
def test_every_toolchain_pins_what_it_imports_and_says_how_long_it_is_kept(toolchain):
    pinned = {pin.name for pin in toolchain.pins()}
    assert not toolchain.pinned or set(toolchain.modules) <= pinned
    assert toolchain.support
    assert toolchain.purpose


@pytest.mark.parametrize("toolchain", TOOLCHAINS, ids=lambda one: one.name)
def test_a_toolchain_that_is_built_is_well(toolchain):
    if not place.is_built(toolchain):
        pytest.skip(f"toolchain {toolchain.name} is not built")
    assert faults(toolchain) == {}
