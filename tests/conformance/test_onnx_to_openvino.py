"""ONNX to OpenVINO against ONNX's own tests: right, or refused by name, never silently wrong."""

import re
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path

import onnx
import pytest

from converters.onnx_legal import REWRITES, is_needed
from tests.openvino_node_cases import small_models, verdicts

NAMES = (Path(__file__).parents[1] / "data" / "onnx-core-tests.txt").read_text().split()
MODELS = sorted(small_models())
LEAST = 1550

#: What nothing stands for, and the reason that is given before conversion.
REFUSED = {
    "bitcast_*": "BitCast (node 'y'): OpenVINO has no such operator",
    "cumprod_2d_*": "CumProd (node 'y'): its input 'axis' is not a constant",
    "dft": "DFT (node 'y'): its input 'axis' is not a constant",
    "dft_axis": "DFT (node 'y'): its input 'axis' is not a constant",
    "dft_inverse": "DFT (node 'y'): its input 'axis' is not a constant",
    "dft_irfft": "DFT (node 'y'): its input 'axis' is not a constant",
    "dft_rfft": "DFT (node 'y'): its input 'axis' is not a constant",
    "lstm_with_peepholes": "LSTM (node 'Y_h'): input 'P' is given",
    "melweightmatrix": "MelWeightMatrix (node 'output'): OpenVINO has no such operator",
    "roialign_mode_max": "RoiAlign (node 'Y'): attribute 'mode' is max",
    "stft": "STFT (node 'output'): its input 'frame_length' is not a constant",
}

_HALVES = "the reference rounds to half precision after every step, OpenVINO at the end"
_CUT_OFF = "on hosts without AVX-512 OpenVINO cuts bfloat16 off where the reference rounds"
_MIDDLE = "the quotient lies within rounding of the middle between two levels"

#: Cases that are a step or two of their type away from what is expected, and why.
ROUNDED = {
    "attention_*bf16*": _HALVES,
    "cast_FLOAT_to_BFLOAT16": _CUT_OFF,
    "castlike_FLOAT_to_BFLOAT16*": _CUT_OFF,
    "celu_bfloat16*": _CUT_OFF,
    "dynamicquantizelinear": _MIDDLE,
    "dynamicquantizelinear_expanded": _MIDDLE,
}

#: Small models that are refused, by what they need: strings, training, and numbers that float32
#: does not have.
REFUSED_MODELS = {
    "strnorm": "StringNormalizer",
    "gradient": "Gradient",
    "operator_addconstant": "does not fit into the float32 that OpenVINO uses",
    "operator_add_*broadcast": "does not fit into the float32 that OpenVINO uses",
}

HERE = version("openvino")

#: For each rewrite that is made here, a case that needs it.
NEEDED = {
    number: next(name for name in NAMES if fnmatch(name, f"test_{row.cases[0]}"))
    for number, row in enumerate(REWRITES)
    if row.cases and is_needed(row, HERE)
}

#: Of rewrites for older versions, all cases.
MENDED = [
    name
    for row in REWRITES
    if not is_needed(row, HERE)
    for name in NAMES
    if any(fnmatch(name, f"test_{pattern}") for pattern in row.cases)
]

pytestmark = pytest.mark.timeout(3000)


def entry(name: str, table: dict[str, str]) -> str | None:
    bare = name.removeprefix("test_")
    return next((text for pattern, text in table.items() if fnmatch(bare, pattern)), None)


@pytest.fixture(scope="module")
def judged(tmp_path_factory) -> dict[tuple[str, int | None], str]:
    wanted = [(name, None) for name in (*NAMES, *MODELS)]
    wanted += [(name, number) for number, name in NEEDED.items()]
    return verdicts(wanted, tmp_path_factory.mktemp("verdicts"))


@pytest.mark.parametrize("name", NAMES)
def test_answers_as_onnx_says_or_is_refused_before_conversion(name, judged):
    verdict = judged[name, None]
    if (reason := entry(name, REFUSED)) is not None:
        assert re.match(r"refused: \S+model\.onnx: OpenVINO cannot compute ", verdict)
        assert reason in verdict
    elif entry(name, ROUNDED) is not None:
        assert re.match(r"right|rounded: ", verdict)
    else:
        assert verdict == "right"


def test_enough_cases_are_right(judged):
    assert len(set(NAMES)) == 1613
    assert sum(judged[name, None] == "right" for name in NAMES) >= LEAST


@pytest.mark.parametrize("table", [REFUSED, ROUNDED], ids=["refused", "rounded"])
def test_every_row_of_what_deviates_has_a_case(table):
    for pattern in table:
        assert [name for name in NAMES if fnmatch(name, f"test_{pattern}")]


@pytest.mark.parametrize("name", MODELS)
def test_small_models_answer_as_they_should_or_are_refused(name, judged):
    verdict = judged[name, None]
    reasons = [text for part, text in REFUSED_MODELS.items() if fnmatch(name, f"*_{part}*")]
    assert verdict == "right" or (verdict.startswith("refused: ") and reasons[0] in verdict)


@pytest.mark.parametrize("number", NEEDED, ids=lambda n: f"{REWRITES[n].operator}-{n}")
def test_each_rewrite_is_still_needed(number, judged):
    verdict = judged[NEEDED[number], number]
    assert not verdict.startswith(("right", "rounded")), "say in `mended_in` since which version"


@pytest.mark.parametrize("row", REWRITES, ids=lambda row: row.operator)
def test_a_rewrite_names_an_operator_of_onnx_and_cases_that_are_there(row):
    assert onnx.defs.has(row.operator)
    for pattern in row.cases:
        assert [name for name in NAMES if fnmatch(name, f"test_{pattern}")]


@pytest.mark.parametrize("name", MENDED)
def test_what_older_versions_need_is_not_needed_here(name, judged):
    assert judged[name, None].startswith(("right", "rounded"))


def test_a_rewrite_is_left_out_from_the_version_that_does_not_need_it():
    row = REWRITES[0].__class__("Abs", "errs", (), lambda body: None, mended_in="2027.1")
    assert is_needed(row, "2026.4.1-21000-releases/2026/4")
    assert not is_needed(row, "2027.1.0-1")
    assert not is_needed(row, "2028.0.0")
    assert all(is_needed(one, "2099.0.0") for one in REWRITES if one.mended_in is None)
