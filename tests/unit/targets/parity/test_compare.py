"""A target's answers against the original's."""

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

from registry.errors import ParityError
from targets.parity.cases import Case
from targets.parity.compare import NAMED, SPELT_OUT, Comparison, answered


@dataclass(frozen=True)
class Limit:
    atol: float
    rtol: float = 0.0
    because: str = "a test says so"


def case(name="a case", refused=None, **outputs):
    return Case(name, "generated", {"x": np.zeros(2, "f4")}, None if refused else outputs, refused)


def findings(*pairs, limit=lambda name: Limit(1e-3)):
    comparison = Comparison(limit)
    for original, target in pairs:
        comparison.add(original, target)
    return comparison.conclude()


SCORES = np.array([0.25, 0.5], "f4")


def test_passes_what_is_within_and_fails_what_is_not():
    assert findings((case(y=SCORES), case(y=SCORES + np.float32(5e-4)))).passed
    assert not findings((case(y=SCORES), case(y=SCORES + np.float32(5e-3)))).passed


def test_one_bad_output_among_many_fails():
    found = findings((case(y=SCORES, z=SCORES), case(y=SCORES, z=SCORES + 1)))
    assert [(numbers.output, numbers.passed) for numbers in found.outputs] == [
        ("y", True),
        ("z", False),
    ]
    assert not found.passed


def test_each_output_has_its_own_limit():
    limits = {"y": Limit(1e-3), "z": Limit(2.0)}
    found = findings(
        (case(y=SCORES, z=SCORES), case(y=SCORES, z=SCORES + 1)), limit=limits.__getitem__
    )
    assert found.passed
    assert [numbers.atol for numbers in found.outputs] == [1e-3, 2.0]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({}, "output 'y': the target does not have it; in case 'a case'"),
        ({"y": SCORES, "z": SCORES}, "output 'z': the original does not have it"),
        ({"y": SCORES.astype("f8")}, r"output 'y': float32\[2\] in the original is float64\[2\]"),
        ({"y": SCORES[:, None]}, r"float32\[2\] in the original is float32\[2, 1\]"),
        ({"y": SCORES[:1]}, r"float32\[2\] in the original is float32\[1\]"),
    ],
)
def test_outputs_that_are_missing_added_or_shaped_otherwise_fail(answer, fault):
    found = findings((case(y=SCORES), case(y=SCORES)), (case(y=SCORES), case(**answer)))
    assert not found.passed
    assert len(found.faults) == 1
    assert re.search(fault, found.faults[0])


def test_refusing_alike_is_right_and_refusing_alone_is_wrong():
    answers, refuses = case(y=SCORES), case(refused="id 9 is out of range")
    alike = findings((answers, answers), (refuses, refuses))
    assert alike.passed
    assert (alike.cases, alike.refused_alike) == (1, 1)
    for pair, fault in (
        ((answers, refuses), "the target refuses (id 9 is out of range), the original answers"),
        ((refuses, answers), "the original refuses (id 9 is out of range), the target answers"),
    ):
        found = findings((answers, answers), pair)
        assert not found.passed
        assert found.faults == (f"{fault}; in case 'a case'",)


def test_a_target_may_be_stricter_with_ids_that_the_job_rules_out():
    answers, refuses = case(y=SCORES), case(refused="id 9 is out of range")
    outside = replace(answers, outside=True)
    found = findings((answers, answers), (outside, refuses))
    assert found.passed
    assert (found.cases, found.refused_alike) == (1, 0)
    assert not findings((answers, answers), (replace(refuses, outside=True), answers)).passed
    assert not findings((outside, case(y=SCORES + 1))).passed


def test_no_cases_at_all_cannot_pass():
    with pytest.raises(ParityError, match="nothing was compared"):
        findings()


def test_refusing_everything_alike_cannot_pass():
    refuses = case(refused="no")
    with pytest.raises(ParityError, match="answered none of 2 cases"):
        findings((refuses, refuses), (refuses, refuses))


def test_comparing_empty_outputs_cannot_pass():
    empty = case(y=SCORES, z=SCORES[:0])
    with pytest.raises(ParityError, match="output 'z': not one element was compared in 1 cases"):
        findings((empty, empty))


def test_without_any_numbers_there_is_no_record_and_no_pass():
    found = findings((case(y=SCORES), case(refused="no")))
    assert not found.passed
    assert found.parity("conversion", {}, {}) is None


def test_the_record_says_what_was_found():
    found = findings((case(y=SCORES), case(y=SCORES)))
    parity = found.parity("precision", {"precision": "f32"}, {"auc y": (0.9, 0.9)})
    assert parity.passed
    assert parity.kind == "precision"
    assert parity.outputs[0].compared == 2


def test_many_faults_are_counted_and_the_first_spelt_out():
    names = [f"case {number}" for number in range(NAMED + 3)]
    pairs = [(case(name, y=SCORES), case(name, refused="no")) for name in names]
    assert findings(*pairs).faults[0].endswith(f"'case {NAMED - 1}' and 3 more")
    pairs = [(case(y=SCORES), case(refused=f"no {number}")) for number in range(SPELT_OUT + 5)]
    assert findings(*pairs).faults[-1] == "and 5 more faults"


def test_asks_and_takes_an_error_of_the_kind_for_a_refusal():
    def answer(inputs):
        if inputs["x"][0] < 0:
            raise IndexError("negative")
        if inputs["x"][0] > 9:
            raise RuntimeError("a bug")
        return {"y": inputs["x"]}

    asked = case(refused="the reference's words")
    assert answered(asked, answer, IndexError).outputs["y"].tolist() == [0, 0]
    assert answered(asked, answer, IndexError).refused is None
    negative = replace(asked, inputs={"x": np.array([-1.0])})
    assert answered(negative, answer, IndexError).refused == "negative"
    with pytest.raises(RuntimeError, match="a bug"):
        answered(replace(asked, inputs={"x": np.array([10.0])}), answer, IndexError)
