"""The stage's side of its process."""

import errno
import io
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.processes import worker
from pipeline.processes.events import EVENT, Failed, Finished, Progressed
from registry.errors import ConversionError, ResourceError, WorkerError

ROOT = Path(__file__).parents[4]


def test_a_stage_of_the_platform_is_named_by_its_module_alone():
    assert worker.module_of("split") == "pipeline.stages.split"
    assert worker.module_of("tests.misbehave") == "tests.misbehave"


def test_what_a_stage_says_and_its_end_are_sent_in_order(task, tmp_path):
    sent = []
    assert worker.perform(task(steps=1), tmp_path / "out", sent.append) == 0
    assert [type(event) for event in sent] == [Progressed, Finished]
    assert sent[-1].peak > 1 << 20


def test_an_error_for_the_user_is_sent_with_its_kind(task, tmp_path):
    sent = []
    code = worker.perform(task("refuse"), tmp_path / "out", sent.append)
    assert code == ConversionError.exit_code
    assert (sent[-1].kind, sent[-1].message[:9]) == ("ConversionError", "the thing")


def test_any_other_error_is_sent_without_a_kind(task, tmp_path):
    sent = []
    assert worker.perform(task("fail"), tmp_path / "out", sent.append) == 1
    assert sent[-1].kind is None


def test_progress_is_thinned_out_but_its_end_is_always_sent():
    sent = []
    progress = worker.throttled(sent.append)
    for done in range(1, 10001):
        progress(done, 10000, "rows")
    assert sent[-1].done == 10000
    assert len(sent) < 100


def test_events_survive_the_pipe():
    for event in (
        Progressed(done=1, total=2, unit="rows"),
        Finished(peak=1),
        Failed(kind=None, message="two\nlines → one", peak=1),
    ):
        line = event.model_dump_json()
        assert "\n" not in line
        assert EVENT.validate_json(line) == event


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), ResourceError),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), ResourceError),
        (RuntimeError("write failed: No space left on device"), ResourceError),
        (OSError(errno.EFBIG, "File too large"), ResourceError),
        (MemoryError(), WorkerError),
        (RuntimeError("std::bad_alloc"), WorkerError),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), WorkerError),
        (ImportError("libx.so: failed to map segment from shared object"), WorkerError),
        (
            ImportError("libx.so: failed to map segment from shared object: Not permitted"),
            RuntimeError,
        ),
        (ConversionError("fault"), ConversionError),
        (KeyError("x"), RuntimeError),
    ],
)
def test_errors_are_explained(task, tmp_path, error, kind):
    assert type(worker.explain(error, task(), tmp_path)) is kind


def test_another_disk_that_is_full_is_not_taken_for_that_of_the_output(task, tmp_path):
    error = ResourceError("/store/blobs: No space left on device. Free space on the disk of /store")
    assert worker.explain(error, task(), tmp_path) is error


def test_a_cause_is_found_behind_an_error_that_wraps_it(task, tmp_path):
    error = ConversionError("could not save")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert type(worker.explain(error, task(), tmp_path)) is ResourceError


def test_by_hand_a_task_is_read_from_stdin_and_errors_are_shown(task, tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "pipeline.processes.worker", str(tmp_path / "out")],
        input=task("refuse").model_dump_json(),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode == ConversionError.exit_code
    assert run.stderr.rstrip().endswith("ConversionError: the thing: the fault. Run: the remedy")


def test_a_log_that_cannot_be_written_does_not_hide_the_error(task, tmp_path):
    with Path("/dev/full").open("wb", buffering=0) as full:
        run = subprocess.run(
            [sys.executable, "-m", "pipeline.processes.worker", str(tmp_path / "out")],
            input=task("refuse").model_dump_json().encode(),
            stdout=full,
            stderr=full,
            cwd=ROOT,
            check=False,
        )
    assert run.returncode == ConversionError.exit_code


def test_a_task_that_is_no_task_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"name": "x"}'))
    with pytest.raises(ValueError, match="validation errors for Task"):
        worker.main([str(tmp_path)])
