"""Job files that are malformed or hostile, by all commands that read one."""

from pathlib import Path

import pytest

from registry.errors import JobError
from tests.bad_onnx import sound
from tests.bench import SOUND

GOLDENS = Path(__file__).parents[2] / "goldens" / "job_faults"

#: Each needs another part of the reader to notice it.
SAMPLE = (
    "billion_laughs",
    "deep_nesting",
    "duplicate_key",
    "empty_file",
    "ids_without_a_cardinality",
    "ids_without_a_range",
    "latin1",
    "many_faults_at_once",
    "misspelt_axis",
    "norway",
    "null_character",
    "python_object",
    "tab_in_the_indentation",
    "tolerance_without_reason",
    "undefined_variable",
    "unheard_of_runtime",
)
COMMANDS = ("check", "plan", "run")


@pytest.mark.parametrize("golden", SAMPLE)
def test_a_faulty_job_is_refused_alike_by_every_command(bench, golden, monkeypatch):
    monkeypatch.delenv("JOB_TEST_BUCKET", raising=False)
    for name in ("model.onnx", "samples.npz"):
        (bench.folder / name).touch()
    job = f"{golden}.yaml"
    (bench.folder / job).write_bytes((GOLDENS / job).read_bytes())
    wanted = (GOLDENS / f"{golden}.txt").read_text(encoding="utf-8").rstrip("\n")
    for command in COMMANDS:
        said = bench.refuses(JobError, wanted, command=(command, job))
        assert said.out == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_job_that_is_not_there(bench, command):
    bench.refuses(JobError, "nothing.yaml", command=(command, "nothing.yaml"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_in_place_of_a_job(bench, command):
    bench.refuses(JobError, str(bench.store), command=(command, str(bench.store)))


def test_a_misspelt_axis_is_shown_where_it_is(bench):
    inputs = [SOUND["inputs"][0], SOUND["inputs"][1] | {"shape": ["bacth", 4]}]
    words = ("job.yaml:", "bacth", "did you mean `batch`", "^")
    bench.write(inputs=inputs)
    bench.refuses(JobError, *words, command=("run", "job.yaml"))


def test_ids_without_a_range_are_shown_where_they_are(bench):
    ids = {"name": "ids", "dtype": "int64", "shape": ["batch"]}
    bench.write(inputs=[ids, SOUND["inputs"][1]])
    bench.refuses(JobError, "job.yaml:", "ids", "range", command=("run", "job.yaml"))


def test_a_job_that_pushes_to_another_models_channel_moves_nothing_of_it(bench):
    """Channels are of a model: equal names of two models are two channels."""
    before = bench.call("registry", "show", "ranker@candidate", "--store", "store", "--json").out
    bench.write(model="other", **sound(bench.folder))
    said = bench.call("run", "job.yaml")
    assert said.code == 0, said.err
    assert "other@1 in " in said.out
    shown = bench.call("registry", "show", "ranker@candidate", "--store", "store", "--json")
    assert shown.out == before


@pytest.mark.parametrize("channel", ["ranker/candidate", "ranker@candidate", "7", "../ranker"])
def test_a_channel_that_names_another_model_is_no_name(bench, channel):
    push = {"store": "store", "channel": channel}
    bench.refuses_job(JobError, "job.yaml:", channel, "channel", push=push)
