"""Carrying out a plan."""

import json
import shlex
import subprocess
import threading
from pathlib import Path

import pytest

from pipeline.record import RunRecord
from pipeline.running.run import Wishes, execute
from pipeline.showing.watch import Unwatched
from registry.errors import ConversionError, JobError, ResourceError, WorkerError


@pytest.fixture
def chain(lay_out, node):
    """Return what plans three tasks, each of which reads those before it."""

    def make(**last: object):
        first, second = node("one"), node("two", "one")
        return lay_out(first, second, node("three", "one", "two", **last))

    return make


def outcomes(result) -> dict[str, str]:
    return {stage.name: stage.outcome for stage in result.record.stages}


def go(plan, **wishes: object):
    return execute(plan, Wishes(**wishes), Unwatched())


def test_each_task_reads_what_those_before_it_wrote(chain):
    result = go(chain())
    last = result.record.stages[-1]
    assert (last.output / "text").read_text() == "three(one(),two(one()))"
    assert result.record.outcome == "done"
    assert result.error is None


def test_the_second_run_does_nothing_again(chain):
    go(chain())
    plan = chain()
    assert [step.why for step in plan.steps] == ["cached"] * 3
    assert outcomes(go(plan)) == {"one": "cached", "two": "cached", "three": "cached"}


def test_only_what_depends_on_a_change_runs_again(chain):
    go(chain())
    plan = chain(steps=7)
    assert [step.why for step in plan.steps] == ["cached", "cached", "option steps: 3 → 7"]
    assert outcomes(go(plan)) == {"one": "cached", "two": "cached", "three": "done"}


def test_other_code_runs_everything_again(lay_out, node):
    go(lay_out(node("one"), code="old"))
    (step,) = lay_out(node("one"), code="new").steps
    assert step.why == "the platform's own code changed"


def test_force_runs_everything_again(chain):
    go(chain())
    assert set(outcomes(go(chain(), force=True)).values()) == {"done"}


def test_damage_in_the_cache_is_noticed_and_made_good(chain):
    (chain_two,) = [s for s in go(chain()).record.stages if s.name == "two"]
    (chain_two.output / "text").chmod(0o644)
    (chain_two.output / "text").write_text("TWO(one())")
    plan = chain()
    assert plan.steps[1].why == "its output in the cache is damaged: its file text was changed"
    assert outcomes(go(plan)) == {"one": "cached", "two": "done", "three": "cached"}
    assert (chain_two.output / "text").read_text() == "two(one())"


def test_a_failure_keeps_what_is_finished_and_leaves_no_half_output(chain, tmp_path):
    result = go(chain(do="fail"))
    assert isinstance(result.error, WorkerError)
    assert outcomes(result) == {"one": "done", "two": "done", "three": "failed"}
    assert not list(tmp_path.rglob("half"))
    assert not list(tmp_path.rglob("*.partial"))
    assert outcomes(go(chain())) == {"one": "cached", "two": "cached", "three": "done"}


def test_a_failure_is_in_the_record_and_the_report_is_there(chain):
    result = go(chain(do="refuse"))
    record = RunRecord.model_validate_json((result.folder / "run.json").read_bytes())
    assert record.outcome == "failed"
    assert record.error.kind == ConversionError.__name__
    assert record.error.exit_code == ConversionError.exit_code
    assert record.stages[-1].error == record.error
    assert "Traceback" in record.stages[-1].log.read_text()
    assert "the thing: the fault" in result.report.read_text()


def test_what_comes_after_a_failure_is_skipped(lay_out, node):
    result = go(lay_out(node("one", do="refuse"), node("two", "one")))
    assert outcomes(result) == {"one": "failed", "two": "skipped"}


def test_a_stage_that_writes_nothing_is_not_done(lay_out, node):
    result = go(lay_out(node("one", do="write_nothing")))
    assert "it is done but wrote nothing" in str(result.error)


def test_a_full_disk_is_no_bug(lay_out, node):
    result = go(lay_out(node("one", do="fill_disk")))
    assert isinstance(result.error, ResourceError)


def test_until_does_a_task_and_what_it_needs(lay_out, node):
    plan = lay_out(node("one"), node("aside"), node("two", "one"), node("three", "two"))
    found = outcomes(go(plan, until="two"))
    assert found == {"one": "done", "aside": "skipped", "two": "done", "three": "skipped"}


def test_until_a_task_that_is_not_there(chain):
    with pytest.raises(JobError, match=r"no stage 'four'.*one, two, three"):
        go(chain(), until="four")


def test_what_is_never_cached_runs_every_time(lay_out, node):
    plan = lay_out(node("one"), node("last", "one", cached=False))
    go(plan)
    assert outcomes(go(plan)) == {"one": "cached", "last": "done"}


def test_the_figures_of_a_cached_task_are_those_of_its_run(chain):
    first, second = go(chain()).record, go(chain()).record
    assert [stage.usage for stage in first.stages] == [stage.usage for stage in second.stages]
    assert all(stage.usage.peak > 1 << 20 for stage in second.stages)


def test_a_plan_forecasts_what_was_measured(chain):
    go(chain())
    step = chain(steps=7).steps[2]
    assert step.forecast.measured
    assert step.forecast.disk == len("three(one(),two(one()))")


def test_work_that_took_more_memory_than_there_is_is_refused(chain):
    entry = go(chain()).record.stages[2].output.parent / "record.json"
    record = json.loads(entry.read_text())
    record["usage"]["peak"] = 1 << 60
    entry.write_text(json.dumps(record))
    result = go(chain(steps=7))
    assert isinstance(result.error, ResourceError)
    assert "--ignore-forecast" in str(result.error)
    assert outcomes(go(chain(steps=7), check=False))["three"] == "done"


def test_two_runs_of_the_same_job_at_once_share_the_work(lay_out, node):
    results = []

    def one_run():
        results.append(go(lay_out(node("slow", pause=0.2))))

    threads = [threading.Thread(target=one_run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes(result)["slow"] for result in results) == ["cached", "done"]
    assert len({result.folder for result in results}) == 2


@pytest.mark.parametrize("do", ["write", "refuse"])
def test_the_script_reproduces_the_stage(chain, tmp_path, do):
    last = go(chain(do=do)).record.stages[-1]
    command = [*shlex.split(last.reproduce), str(tmp_path / "again")]
    again = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    if do == "write":
        assert again.returncode == 0, again.stderr
        assert (tmp_path / "again/text").read_text() == (last.output / "text").read_text()
    else:
        assert again.returncode == ConversionError.exit_code
        assert "the thing: the fault" in again.stderr


def test_planning_writes_nothing(chain, tmp_path):
    go(chain())
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    chain(steps=9)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_runs_have_folders_of_their_own(chain):
    folders = [go(chain()).folder for _ in range(3)]
    assert len(set(folders)) == 3
    assert all((Path(folder) / "run.json").is_file() for folder in folders)


def test_a_home_that_cannot_be_made_is_named(lay_out, node, tmp_path):
    (tmp_path / "home").write_text("a file")
    with pytest.raises(ResourceError, match=r"home.*cannot be written.*PIPELINE_HOME"):
        go(lay_out(node("one")))
