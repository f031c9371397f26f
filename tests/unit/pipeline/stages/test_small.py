"""What stages share: the sample, metrics, the verdict, lineage, links."""

import subprocess

import numpy as np
import pytest

from pipeline.job.job import Metric
from pipeline.stages.layout import link
from pipeline.stages.lineage import commit_of, trace
from pipeline.stages.sample import sample_of
from pipeline.stages.scores import Scores, dropped
from pipeline.stages.verdict import Demand, Validation, verdict
from registry.errors import ParityError
from registry.manifest import Contract
from targets.parity.cases import Case, write_cases
from targets.parity.compare import Comparison
from tests import pieces

CONTRACT = Contract(isa=(), runtime="openvino", at_least="1", below="2", precision="f32")
METRIC = Metric(name="auc", output="score", max_drop=0.01, because="a test says so")


def test_the_sample_is_the_first_rows_of_the_recorded_ones_bags_and_all(tmp_path):
    pieces.write_reference(tmp_path)
    sample = sample_of(tmp_path, pieces.INPUTS, 7)
    inputs = {name[6:]: array for name, array in sample.items() if name.startswith("input/")}
    assert inputs.keys() == {"item", "tags", "starts", "numbers"}
    assert sample["output/score"].shape == (7,)
    np.testing.assert_array_equal(pieces.answer(inputs)["score"], sample["output/score"])


def test_the_sample_is_never_more_than_there_is(tmp_path):
    pieces.write_reference(tmp_path)
    assert sample_of(tmp_path, pieces.INPUTS, 999)["output/score"].shape == (30,)


def test_without_samples_the_first_answer_is_taken(tmp_path):
    refused = Case("one", "generated", {}, None, "no")
    inputs = pieces.inputs_of(2)
    answered = Case("two", "generated", inputs, pieces.answer(inputs))
    write_cases([refused, answered], tmp_path)
    assert sample_of(tmp_path, pieces.INPUTS, 64)["output/score"].shape == (2,)


def test_answers_that_are_not_one_a_row_are_taken_whole(tmp_path):
    inputs = pieces.inputs_of(3)
    write_cases([Case("c", "recorded", inputs, {"mean": np.zeros(())})], tmp_path)
    sample = sample_of(tmp_path, pieces.INPUTS, 1)
    assert sample["input/item"].shape == (3,)


def test_there_is_no_sample_where_everything_is_refused(tmp_path):
    write_cases([Case("c", "recorded", {}, None, "no")], tmp_path)
    with pytest.raises(ParityError, match="refuses every case"):
        sample_of(tmp_path, pieces.INPUTS, 1)


def scored(original, target, labels):
    scores = Scores((METRIC,))
    for before, after in zip(original, target, strict=True):
        case = Case("c", "recorded", {}, {"score": np.array(before)})
        scores.add(case, Case("c", "recorded", {}, {"score": np.array(after)}))
    scores.add(Case("c", "generated", {}, {"score": np.zeros(1)}), Case("c", "generated", {}))
    return scores.measured(np.array(labels))


def test_metrics_are_measured_over_all_recorded_cases_in_order():
    measured = scored([[0.1, 0.9], [0.2]], [[0.9, 0.1], [0.2]], [0, 1, 0])
    assert measured == {"auc(score)": (1.0, 0.0)}


@pytest.mark.parametrize(
    ("after", "faults"),
    [(1.0, 0), (0.9901, 0), (0.98, 1), (float("nan"), 1)],
)
def test_a_metric_may_fall_as_far_as_the_job_says(after, faults):
    found = dropped((METRIC,), {"auc(score)": (1.0, after)})
    assert len(found) == faults
    assert all("auc of output 'score' falls from 1 to" in fault for fault in found)


def validation(passed, parity=(), faults=()):
    return Validation(
        target="openvino-bf16",
        parts=(
            Demand(
                part="dense",
                target="openvino-bf16",
                runtime="openvino",
                precision="bf16",
                contract=CONTRACT,
            ),
        ),
        parity=parity,
        faults=faults,
        passed=passed,
    )


def test_a_validation_that_passed_has_no_verdict(tmp_path):
    (tmp_path / "parity.json").write_text(validation(passed=True).model_dump_json())
    verdict(tmp_path / "parity.json")


def test_the_verdict_names_target_output_numbers_tolerance_place_and_remedy(tmp_path):
    class Limit:
        atol, rtol, because = 1e-5, 1e-3, "a test says so"

    comparison = Comparison(lambda name: Limit())
    original = Case("batch of 3", "generated", {}, {"score": np.array([0.5, 0.25])})
    comparison.add(original, Case("", "generated", {}, {"score": np.array([0.5, np.nan])}))
    parity = comparison.conclude().parity("conversion", {}, {})
    found = validation(passed=False, parity=(parity,), faults=("auc falls",))
    (tmp_path / "parity.json").write_text(found.model_dump_json())
    with pytest.raises(ParityError) as error:
        verdict(tmp_path / "parity.json")
    for part in (
        "target openvino-bf16 does not answer like the original",
        "conversion: output 'score' is off by up to inf",
        "atol 1e-05 + rtol 0.001",
        "case 'batch of 3' at [1]: 0.25 in the original, nan here",
        "auc falls",
        "raise the tolerance under `parity` in the job and say why",
    ):
        assert part in str(error.value)


def test_lineage_has_the_job_the_source_and_the_tools(tmp_path):
    lineage = trace("schema: 1\n", "torch a:b", "0" * 64, tmp_path)
    assert lineage.job.startswith("sha256:")
    assert lineage.job != trace("schema: 1 \n", "torch a:b", "0" * 64, tmp_path).job
    assert lineage.tools["numpy"] == np.__version__


def test_the_commit_says_whether_files_were_changed_since(tmp_path):
    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        done = subprocess.run(
            ["git", "-C", tmp_path, *identity, *arguments],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    assert commit_of(tmp_path / "nowhere") is None
    git("init", "-q")
    (tmp_path / "job.yaml").write_text("schema: 1")
    git("add", "job.yaml")
    git("commit", "-q", "-m", "Add the job")
    commit = git("rev-parse", "HEAD")
    assert commit_of(tmp_path) == commit
    (tmp_path / "job.yaml").write_text("schema: 2")
    assert commit_of(tmp_path) == f"{commit}+"


def test_folders_are_linked_whole_and_nothing_is_copied(tmp_path):
    (tmp_path / "from" / "deep").mkdir(parents=True)
    (tmp_path / "from" / "a").write_text("a")
    (tmp_path / "from" / "deep" / "b").write_text("b")
    link(tmp_path / "from", tmp_path / "to")
    assert (tmp_path / "to" / "deep" / "b").read_text() == "b"
    assert (tmp_path / "to" / "a").samefile(tmp_path / "from" / "a")
