"""What an older OpenVINO needs in addition: each row is right with it, and not without."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from converters.onnx_legal import REWRITES, is_needed
from pipeline.toolchains import find_toolchain
from pipeline.toolchains.place import interpreter
from tests.openvino_node_cases import verdicts

NAMES = (Path(__file__).parents[1] / "data" / "onnx-core-tests.txt").read_text().split()

#: A case for each row of the table that names the version which does without it.
OLDER = {
    number: next(name for name in NAMES if fnmatch(name, f"test_{row.cases[0]}"))
    for number, row in enumerate(REWRITES)
    if row.mended_in is not None
}

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def judged(tmp_path_factory) -> dict[tuple[str, int | None], str]:
    wanted = [(name, row) for number, name in OLDER.items() for row in (None, number)]
    python = str(interpreter(find_toolchain("openvino-2025.4")))
    return verdicts(wanted, tmp_path_factory.mktemp("verdicts"), 1, python)


@pytest.mark.parametrize("number", OLDER, ids=lambda number: REWRITES[number].operator)
def test_an_operator_is_mended_or_refused_by_name(number, judged):
    row, verdict = REWRITES[number], judged[OLDER[number], None]
    assert is_needed(row, "2025.4.0")
    refused = rf"refused: \S+model\.onnx: OpenVINO cannot compute {row.operator} \(node 'y'\)"
    assert re.match(rf"right|rounded|{refused}", verdict), verdict


@pytest.mark.parametrize("number", OLDER, ids=lambda number: REWRITES[number].operator)
def test_it_is_wrong_or_cannot_be_converted_without(number, judged):
    verdict = judged[OLDER[number], number]
    assert not verdict.startswith(("right", "rounded"))
    assert "OpenVINO cannot compute" not in verdict
