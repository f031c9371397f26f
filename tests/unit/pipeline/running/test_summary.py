"""What a run shows at its end."""

from pathlib import Path

import pytest

from pipeline.job.job import Job
from pipeline.running.run import RunResult
from pipeline.running.summary import as_record, show_summary
from registry.composition import Remark
from registry.errors import ParityError
from tests.run_records import run_record


@pytest.fixture
def job() -> Job:
    tolerance = {"atol": 1e-5, "rtol": 1e-5, "because": "it is a test"}
    return Job.model_validate(
        {
            "schema": 1,
            "model": "movielens-dlrm",
            "source": {"kind": "onnx", "file": "model.onnx"},
            "inputs": [{"name": "x", "dtype": "float32", "shape": [1]}],
            "targets": [{"name": "openvino-f32", "runtime": "openvino"}],
            "parity": {"conversion": tolerance},
            "push": {"store": "s3://bucket/models"},
        }
    )


def result(*, passed: bool = True, **changes: object) -> RunResult:
    record = run_record(passed=passed).model_copy(update=changes)
    error = None if passed else ParityError("off")
    return RunResult(record, Path("/runs/1"), Path("/runs/1/report/index.html"), error)


def test_stages_parity_version_report_and_what_to_do_next(job, capsys):
    show_summary(result(), job)
    shown = capsys.readouterr().out
    assert "split  done     4.2 s    400.0 MiB" in shown
    assert "openvino-f32" in shown
    assert "movielens-dlrm@1 in s3://bucket/models, channel candidate" in shown
    assert "/runs/1/report/index.html" in shown
    assert "pipeline rollout movielens-dlrm@1 --store s3://bucket/models" in shown


def test_a_version_that_was_there_before_is_not_claimed_anew(job, capsys):
    show_summary(result(already=True), job)
    assert "version: movielens-dlrm@1 is already published in s3://" in capsys.readouterr().out
    assert as_record(result(already=True))["already"]


def test_a_store_in_a_folder_is_named_so_that_the_next_command_finds_it(job, capsys):
    push = job.push.model_copy(update={"store": "../my store"})
    show_summary(result(folder=Path("/work/jobs")), job.model_copy(update={"push": push}))
    assert "--store '/work/my store'" in capsys.readouterr().out


def test_a_run_that_failed_is_not_told_to_go_on(job, capsys):
    show_summary(result(passed=False), job)
    assert "next:" not in capsys.readouterr().out


def test_a_job_without_a_push_is_told_how_to_publish(job, capsys):
    show_summary(result(version=None, outcome="done"), job.model_copy(update={"push": None}))
    assert "give the job a `push` block" in capsys.readouterr().out


def test_stages_that_were_not_begun_are_a_line(job, capsys):
    ran = run_record().stages[0]
    skipped = [ran.model_copy(update={"name": f"s{n}", "outcome": "skipped"}) for n in range(12)]
    show_summary(result(stages=(ran, *skipped)), job)
    shown = capsys.readouterr().out
    assert "12 stages were not begun" in shown
    assert "skipped" not in shown
    show_summary(result(stages=(ran, skipped[0])), job)
    assert "1 stage was not begun" in capsys.readouterr().out


def test_cases_that_both_refused_are_told_below_those_that_were_compared(job, capsys):
    show_summary(result(), job)
    assert (
        "openvino-f32: 44 cases compared; 6 more were refused by the original and here alike"
        in capsys.readouterr().out
    )


def test_remarks_on_the_model_are_shown_and_those_of_tools_are_not(job, capsys):
    said = [("calibration", "scales of int8 come from 3 samples"), ("torch.onnx", "chatter")]
    remarks = [Remark(by=by, text=text) for by, text in said]
    (ran,) = run_record().stages
    show_summary(result(stages=(ran.model_copy(update={"remarks": tuple(remarks)}),)), job)
    shown = capsys.readouterr().out
    assert "remark of split: scales of int8 come from 3 samples" in shown
    assert "chatter" not in shown
    many = tuple(Remark(by="samples", text=f"odd {number}") for number in range(7))
    show_summary(result(stages=(ran.model_copy(update={"remarks": many}),)), job)
    assert "2 more remarks: see the report" in capsys.readouterr().out


def test_machines_get_the_outcome_and_where_all_else_is():
    found = as_record(result())
    assert found["outcome"] == "published"
    assert found["version"] == 1
    assert found["record"] == "/runs/1/run.json"
    assert found["passed"] == {"openvino-f32": True}
    assert as_record(result(passed=False))["error"]["exit_code"] == 14
