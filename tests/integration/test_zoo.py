"""Models of public packages go through the product; `make zoo` takes all of them."""

import pytest

from benchmarks.zoo.environment import python_of
from benchmarks.zoo.order import Step
from benchmarks.zoo.outcome import Build, Fault, Outcome
from benchmarks.zoo.packages import PACKAGES, find_package
from benchmarks.zoo.run import Wish, run
from benchmarks.zoo.table import table
from benchmarks.zoo.ward import Ward
from pipeline.processes.task import Task

TAKEN = [(package.name, name) for package in PACKAGES for name in package.in_tests]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("package", "model"), TAKEN)
def test_a_public_model_is_split_converted_and_answers_alike(package, model, tmp_path):
    row = find_package(package)
    (outcome,) = run(row, [row.model(model)], Wish(home=tmp_path, jobs=1, take="none"))
    assert outcome.faults == ()
    assert outcome.holds
    assert outcome.exact.equal
    assert outcome.tables > 0
    assert [build.runtime for build in outcome.builds] == ["openvino", "onnxruntime", "ipex"]
    again = run(row, [row.model(model)], Wish(home=tmp_path, jobs=1, take="same"))
    assert again == [outcome]


def test_two_packages_at_least_are_in_the_tests():
    assert len({package for package, _ in TAKEN}) >= 2


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_package_has_pins_and_each_model_a_name_of_its_own(package):
    names = [model.name for model in package.models]
    assert len(set(names)) == len(names) > 0
    assert set(package.in_tests) <= set(names)
    assert package.pins.exists()


def test_the_environment_of_a_package_is_there_at_once_the_second_time():
    package = find_package("deepctr-torch")
    python = python_of(package)
    before = python.stat().st_ino
    assert python_of(package) == python
    assert python.stat().st_ino == before


def steps_of(folder, ways):
    """Steps of the stage `tests.misbehave`, each after the one before it where it says so."""
    return [
        Step(
            task=Task(name=name, stage="tests.misbehave", options={"do": do}, folder=folder),
            out=folder / name,
            needs=needs,
        )
        for name, do, needs in ways
    ]


def test_a_crash_ends_the_child_alone_and_is_named(tmp_path):
    plan = {
        "current": steps_of(
            tmp_path,
            [
                ("well", "write", ()),
                ("crash", "segfault", ()),
                ("after", "write", ("crash",)),
                ("beside", "write", ("well",)),
            ],
        )
    }
    ward = Ward(find_package("deepctr-torch"), tmp_path)
    try:
        events = ward.events(plan, tmp_path)
    finally:
        ward.close()
    assert {name: event.state for name, event in events.items()} == {
        "well": "done",
        "crash": "failed",
        "after": "skipped",
        "beside": "done",
    }
    assert "signal 11" in events["crash"].message


def outcome_of(model, **more):
    return Outcome(
        package="some", model=model, key="", axes=("batch",), fixed=(), tables=2, lookups=2,
        kept=(), exact=None, seconds=1, **more,
    )  # fmt: skip


def test_a_table_counts_what_holds_and_gives_each_reason():
    runtimes = ("openvino", "onnxruntime", "ipex")
    good = [Build(runtime=one, converted=True, within=True, worst=1e-7) for one in runtimes]
    fault = Fault(task="validate ipex", kind="ParityError", message="output y is off | by 3")
    bad = [*good[:2], Build(runtime="ipex", converted=True, within=False, worst=3.0)]
    package = find_package("deepctr-torch")
    text = table(
        package,
        [
            outcome_of("AFM", builds=tuple(good), faults=()),
            outcome_of("AFN", builds=tuple(bad), faults=(fault,)),
        ],
    )
    assert "**1 of 2 models hold in everything.**" in text
    assert "OpenVINO 2, ONNX Runtime 2, IPEX 1" in text
    assert "| AFN | batch | 2 | no | 1e-07 | 1e-07 | **off** 3e+00 |" in text
    assert "- AFN, validate ipex: output y is off / by 3" in text


def test_a_table_says_what_was_not_run():
    runtimes = ("openvino", "onnxruntime", "ipex")
    good = [Build(runtime=one, converted=True, within=True, worst=1e-7) for one in runtimes]
    whole = outcome_of("DLRM", builds=tuple(good), faults=())
    part = outcome_of("TwoTowers", builds=tuple(good[:2]), faults=())
    package = find_package("torchrec")
    left = len(package.models) - 2
    text = table(package, [whole, part], every=True)
    assert "**1 of 2 models hold in everything.**" in text
    assert f"**{left} models were not run**" in text
    assert "On IPEX 1 of these were not run." in text
    assert "| TwoTowers | batch | 2 | no | 1e-07 | 1e-07 | not run |" in text
    assert text.count("| not run | | | | | |") == left
