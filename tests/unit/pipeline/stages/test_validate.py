"""The stage that compares, on real runtimes: it has to find what was spoilt."""

import json
import os

import numpy as np
import pytest
from safetensors.numpy import save_file

from pipeline.processes.task import Task
from pipeline.stages import tables, validate
from pipeline.stages.placed import WHOLE, exact_role, part_role
from pipeline.stages.verdict import Validation, verdict
from registry.errors import JobError, ParityError
from registry.progress import silent
from targets.parity.cases import Case, read_index, write_cases
from targets.parity.hostile import hostile
from tests import pieces

TIGHT = {"atol": 1e-6, "rtol": 1e-5, "because": "one matrix product in f32"}
METRIC = {"name": "auc", "output": "score", "max_drop": 0.0, "because": "the order has to stay"}
LOOSE = {"atol": 9.0, "rtol": 0, "because": "to test metrics alone"}
RENAMED = {"part": part_role(WHOLE), "exact": exact_role(WHOLE)}
NOTHING_TIMED = {"batches": []}
ONNXRUNTIME = {"name": "ort", "runtime": "onnxruntime", "threads": 1}


@pytest.fixture
def made(tmp_path):
    """What the tasks before leave: the pieces as they should be."""
    pieces.write_split(tmp_path / "split")
    pieces.write_tables(tmp_path / "tables")
    pieces.write_reference(tmp_path / "reference", labels=True)
    return tmp_path


def validated(
    made, target=ONNXRUNTIME, parity=None, benchmark=NOTHING_TIMED, progress=silent, **inputs
) -> Validation:
    roles = {name: made / name for name in ("split", "tables", "reference")}
    given = {RENAMED.get(role, role): folder for role, folder in inputs.items()}
    roles |= {part_role(WHOLE): roles["split"]} | given
    options = validate.Options(
        build={"name": target["name"], "parts": [{"part": WHOLE, "target": target}]},
        parity={"conversion": TIGHT} | (parity or {}),
        benchmark=benchmark,
        inputs=pieces.INPUTS,
        axes=pieces.AXES,
    )
    out = made / f"out {len(list(made.iterdir()))}"
    out.mkdir()
    task = Task(
        name="validate",
        stage="validate",
        inputs=roles,
        options=options.model_dump(mode="json"),
        folder=made,
    )
    validate.run(task, out, progress)
    assert [path.name for path in out.iterdir()] == ["parity.json"]
    found = Validation.model_validate_json((out / "parity.json").read_bytes())
    if found.passed:
        verdict(out / "parity.json")
    else:
        with pytest.raises(ParityError, match=f"target {found.target} does not answer"):
            verdict(out / "parity.json")
    return found


def spoilt(made, name, **numbers):
    """Write the split or the tables again, with other numbers."""
    folder = made / f"spoilt {name}"
    write = {"split": pieces.write_split, "tables": pieces.write_tables}[name]
    write(folder, pieces.TRUE._replace(**numbers))
    return folder


def test_pieces_that_are_right_pass_with_both_numbers(made):
    found = validated(made)
    assert found.passed
    assert [parity.kind for parity in found.parity] == ["conversion", "precision"]
    for parity in found.parity:
        assert (parity.cases, parity.refused_alike) == (2, 1)
        (numbers,) = parity.outputs
        assert numbers.compared == 33
        assert 0 < numbers.max_abs < 1e-6
        assert parity.in_force
    (demand,) = found.parts
    assert demand.contract.runtime == "onnxruntime"
    assert demand.contract.memory > 0


def test_passes_on_every_generated_case(made):
    cases = list(hostile(pieces.INPUTS, pieces.AXES, (1, 3, 17), 0))
    pieces.write_reference(made / "reference", cases)
    found = validated(made)
    assert found.passed
    assert found.parity[0].refused_alike == 12
    assert found.parity[0].cases == 18


def test_halved_weights_fail_the_conversion(made):
    halved = pieces.WEIGHTS.astype("f2").astype("f4")
    found = validated(made, part=spoilt(made, "split", weights=halved))
    assert not found.passed
    assert not found.parity[0].passed
    assert 1e-5 < found.parity[0].outputs[0].max_abs < 1e-2


def narrowed_tables(made, **rule):
    """Run the tables stage as a job has it whose rows are stored otherwise."""
    folder = made / "tables of a rule"
    folder.mkdir()
    options = tables.Options(shard_bytes=4096, rows=(rule,))
    task = Task(
        name="tables",
        stage="tables",
        inputs={"split": made / "split"},
        options=options.model_dump(mode="json"),
        folder=made,
    )
    tables.run(task, folder, silent)
    return folder


@pytest.mark.parametrize("rows_as", ["f16", "i8"])
def test_formats_of_rows_have_a_number_of_their_own(made, rows_as):
    narrow = {"tables": narrowed_tables(made, format=rows_as), "exact_tables": made / "tables"}
    loose = {"precision": LOOSE, "metrics": []}
    told = []
    found = validated(made, parity=loose, progress=lambda *far: told.append(far), **narrow)
    conversion, precision = found.parity
    cases = len(read_index(made / "reference").cases)
    assert {(total, unit) for _, total, unit in told} == {(cases, "cases")}
    assert (told[0][0], told[-1][0]) == (0, cases)
    assert [far[0] for far in told] == sorted(far[0] for far in told)
    assert conversion.outputs[0].max_abs < 1e-6
    assert 1e-5 < precision.outputs[0].max_abs < 1e-1
    assert "rows" not in conversion.in_force
    assert precision.in_force["rows"] == rows_as
    assert not validated(made, **narrow).passed


def test_what_unknown_ids_give_is_no_difference_from_the_original(made):
    lenient = narrowed_tables(made, unknown="zero")
    found = validated(made, tables=lenient)
    assert found.passed
    assert found.parity[0].refused_alike == 1


def test_one_wrong_row_of_a_table_is_found(made):
    tags = pieces.TAG_ROWS.copy()
    tags[3, 0] += 0.01
    found = validated(made, tables=spoilt(made, "tables", tags=tags))
    assert not found.passed


@pytest.mark.parametrize("metrics", [[], [METRIC]])
def test_nan_is_found_and_located(made, metrics):
    part = spoilt(made, "split", bias=np.array([np.nan], "f4"))
    found = validated(made, part=part, parity={"metrics": metrics})
    assert not found.passed
    (numbers,) = found.parity[0].outputs
    assert numbers.max_abs == np.inf
    assert numbers.where.startswith("case 'samples 0 to 29' at [0]")
    assert numbers.where.endswith("nan here")


def test_a_refusal_on_one_side_alone_is_found(made):
    inputs = pieces.inputs_of(3)
    refused = Case("ids: 7 is forbidden", "generated", inputs, None, "the original says no")
    answered = Case("batch of 3", "generated", inputs, pieces.answer(inputs))
    write_cases([answered, refused], made / "reference")
    found = validated(made)
    assert not found.passed
    assert "original refuses (the original says no), the target answers" in found.faults[0]
    assert "'ids: 7 is forbidden'" in found.faults[0]


def test_no_cases_cannot_pass(made):
    write_cases([], made / "reference")
    with pytest.raises(ParityError, match="nothing was compared"):
        validated(made)


def test_an_output_that_the_target_lacks_is_found(made):
    inputs = pieces.inputs_of(3)
    outputs = pieces.answer(inputs)
    outputs["logit"] = outputs["score"]
    write_cases([Case("batch of 3", "generated", inputs, outputs)], made / "reference")
    found = validated(made)
    assert not found.passed
    assert "output 'logit': the target does not have it" in found.faults[0]


def test_metrics_are_measured_on_both_sides(made):
    found = validated(made, parity={"metrics": [METRIC]})
    assert found.passed
    assert found.parity[0].metrics == {"auc(score)": (1.0, 1.0)}
    assert found.parity[0].losses["auc(score)"].max_drop == METRIC["max_drop"]


def test_a_metric_that_drops_fails_though_all_numbers_are_within(made):
    part = spoilt(made, "split", weights=-pieces.WEIGHTS)
    found = validated(made, part=part, parity={"conversion": LOOSE, "metrics": [METRIC]})
    assert not found.passed
    assert found.parity[0].outputs[0].passed
    assert "auc of output 'score' falls from 1 to" in found.faults[0]


def test_an_output_with_its_own_tolerance_is_held_to_that(made):
    part = spoilt(made, "split", bias=pieces.BIAS + np.float32(1e-3))
    assert not validated(made, part=part).passed
    assert validated(made, part=part, parity={"outputs": {"score": LOOSE}}).passed
    assert not validated(made, part=part, parity={"precision": LOOSE}).passed
    tight = {"conversion": LOOSE, "outputs": {"score": TIGHT}}
    assert not validated(made, part=part, parity=tight).passed


@pytest.mark.parametrize(
    "parity", [{"outputs": {"scores": TIGHT}}, {"metrics": [METRIC | {"output": "scores"}]}]
)
def test_an_output_that_there_is_not_is_named(made, parity):
    with pytest.raises(JobError, match="the model has no output 'scores'; it has score"):
        validated(made, parity=parity)


def test_metrics_without_labels_are_refused(made):
    (made / "reference" / "labels.safetensors").unlink()
    with pytest.raises(JobError, match=r"without `samples\.labels`"):
        validated(made, parity={"metrics": [METRIC]})


def test_labels_of_one_class_are_no_ground_to_pass(made):
    save_file({"labels": np.ones(30)}, made / "reference" / "labels.safetensors")
    with pytest.raises(Exception, match="of one class only"):
        validated(made, parity={"metrics": [METRIC]})


def test_parity_json_is_plain_json_even_with_infinite_errors(made):
    validated(made, part=spoilt(made, "split", bias=np.array([np.inf], "f4")))
    (file,) = made.glob("out*/parity.json")
    json.loads(file.read_text(), parse_constant=pytest.fail)


def test_what_holds_is_timed_at_each_batch_size_and_what_does_not_is_not(made):
    found = validated(made, benchmark={"batches": [1, 5, 1], "seconds": 0.02}).benchmark
    assert [speed.batch for speed in found.speeds] == [1, 5]
    for speed in found.speeds:
        assert 0 < speed.p50 <= speed.p95
        assert speed.calls >= 3
        assert speed.rate > 0
    assert found.in_force["threads"] == "1"
    assert found.host_cpus == os.cpu_count()
    assert validated(made, benchmark={"batches": []}).benchmark is None
    wrong = spoilt(made, "tables", items=pieces.TRUE.items + 1)
    assert validated(made, tables=wrong).benchmark is None
