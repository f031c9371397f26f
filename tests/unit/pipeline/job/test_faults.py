"""Every golden job is refused with the text that lies beside it.

After a change of wording: UPDATE_GOLDENS=1 pytest tests/unit/pipeline/job/test_faults.py, and
read the difference.
"""

import os
from pathlib import Path

import pytest

from pipeline.job.load import load_job
from registry.errors import JobError

GOLDENS = Path(__file__).parents[3] / "goldens" / "job_faults"
JOBS = sorted(GOLDENS.glob("*.yaml"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("model.onnx", "samples.npz"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JOB_TEST_BUCKET", raising=False)
    monkeypatch.setenv("HOME", "/home/someone")
    return tmp_path


@pytest.mark.parametrize("job", JOBS, ids=[job.stem for job in JOBS])
def test_a_faulty_job_is_refused_in_the_words_of_its_golden(job, folder):
    (folder / job.name).write_bytes(job.read_bytes())
    with pytest.raises(JobError) as caught:
        load_job(Path(job.name))
    golden = job.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(f"{caught.value}\n", encoding="utf-8")
    assert f"{caught.value}\n" == golden.read_text(encoding="utf-8")


def test_no_golden_text_is_left_without_its_job():
    assert {text.stem for text in GOLDENS.glob("*.txt")} == {job.stem for job in JOBS}
    assert len(JOBS) >= 60
