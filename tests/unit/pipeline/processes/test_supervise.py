"""The run's side of a stage's process."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.processes.setting import Setting, environment
from pipeline.processes.supervise import Place, run_task
from registry.composition import Remark
from registry.errors import ConversionError, ResourceError, WorkerError
from registry.manifest import File
from registry.progress import silent


@pytest.fixture
def place(tmp_path) -> Place:
    return Place(tmp_path / "out", tmp_path / "log.txt")


@pytest.fixture
def setting() -> Setting:
    return Setting(environment=environment(1))


def test_a_task_is_done_in_a_process_of_its_own(task, place, setting):
    run_task(task(), place, setting, silent)
    assert (place.out / "text").read_text() == "try write()"


def test_progress_arrives_and_ends_at_the_total(task, place, setting):
    seen = []
    run_task(task(steps=5), place, setting, lambda *event: seen.append(event))
    assert seen[-1] == (5, 5, "steps")


def test_time_and_peak_memory_are_the_stages_own(task, place, setting):
    ballast = bytearray(400 << 20)
    ballast[:: 1 << 12] = b"x" * len(ballast[:: 1 << 12])
    used = run_task(task("hold", bytes=100 << 20), place, setting, silent).usage
    assert 100 << 20 < used.peak < 300 << 20
    assert used.cpu > 0
    assert 0 < used.seconds < 60


def test_digests_that_a_stage_worked_out_come_with_its_end(task, place, setting):
    done = run_task(task("hash_as_it_writes"), place, setting, silent)
    assert done.files == {"text": File(digest="a" * 64, size=4)}


def test_what_tools_warn_of_comes_with_its_end_once_and_without_the_noise(task, place, setting):
    done = run_task(task("warn"), place, setting, silent)
    assert done.remarks == (Remark(by="tool", text="the weights were halved"),)


def test_what_frameworks_print_goes_to_the_log_and_nowhere_else(task, place, setting, capfd):
    run_task(task("chatter"), place, setting, silent)
    assert capfd.readouterr() == ("", "")
    assert b"garbage" in place.log.read_bytes()
    assert b"a warning that nobody asked for" in place.log.read_bytes()


def test_an_error_for_the_user_is_the_same_error_here(task, place, setting):
    with pytest.raises(ConversionError, match=r"^the thing: the fault\. Run: the remedy$"):
        run_task(task("refuse"), place, setting, silent)
    assert "Traceback" in place.log.read_text()


def test_a_kind_that_is_not_known_here_arrives_as_the_kind_it_derives_from(task, place, setting):
    with pytest.raises(ConversionError, match="another fault"):
        run_task(task("refuse_in_own_way"), place, setting, silent)


def test_any_other_error_is_quoted_and_its_traceback_is_in_the_log(task, place, setting):
    with pytest.raises(WorkerError, match="KeyError: 'what is not there'") as caught:
        run_task(task("fail"), place, setting, silent)
    assert str(place.log) in str(caught.value)
    assert "Traceback" in place.log.read_text()


@pytest.mark.parametrize(
    ("do", "words"),
    [
        ("segfault", "try segfault.*SIGSEGV.*native code of a framework crashed"),
        ("abort", "try abort.*SIGABRT.*gave up"),
        ("illegal", "SIGILL.*lacks an instruction"),
        ("be_killed", "SIGKILL.*killed it"),
        ("leave", "left with code 3"),
        ("leave_at_once", "left with code 0 before the stage was done"),
        ("allocate", "try allocate: ran out of memory.*MemoryError.*ulimit"),
        ("import_with_little_memory", "ran out of memory.*ImportError.*raise the limit"),
    ],
)
def test_a_death_names_the_stage_the_way_and_the_likely_cause(task, place, setting, do, words):
    with pytest.raises(WorkerError, match=words):
        run_task(task(do), place, setting, silent)


def test_a_crash_in_native_code_leaves_its_python_stack_in_the_log(task, place, setting):
    with pytest.raises(WorkerError):
        run_task(task("segfault"), place, setting, silent)
    assert "in segfault" in place.log.read_text()


@pytest.mark.parametrize("do", ["fill_disk", "fill_disk_in_a_framework"])
def test_a_full_disk_is_said_to_be_one_however_it_was_wrapped(task, place, setting, do):
    with pytest.raises(ResourceError, match=f"try {do}: the disk.*PIPELINE_HOME"):
        run_task(task(do), place, setting, silent)


def test_a_process_that_hangs_is_ended(task, place):
    start = time.monotonic()
    setting = Setting(silence=0.5, environment=environment(1))
    with pytest.raises(WorkerError, match="no sign of life"):
        run_task(task("hang"), place, setting, silent)
    assert time.monotonic() - start < 10


def test_a_process_that_waits_is_not_taken_for_hung_while_it_says_so(task, place):
    setting = Setting(silence=6.0, environment=environment(1))
    run_task(task(steps=13, pause=0.5), place, setting, silent)


def test_processes_that_a_stage_leaves_behind_are_ended(task, place, setting):
    with pytest.raises(WorkerError, match="left with code 0"):
        run_task(task("start_others"), place, setting, silent)
    assert _gone(int((place.out / "pid").read_text()))


def test_a_stage_ends_with_the_run_even_when_that_is_killed(task, tmp_path):
    script = (
        "import sys; from pathlib import Path; from pipeline.processes.supervise import *;"
        "from pipeline.processes.setting import *;"
        "from pipeline.processes.task import Task;"
        "run_task(Task.model_validate_json(sys.argv[1]), Place(Path('out'), Path('log')),"
        "Setting(environment=environment(1)), lambda *event: print(*event, flush=True))"
    )
    argument = task("hang").model_dump_json()
    run = subprocess.Popen(
        [sys.executable, "-c", script, argument],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )
    with run:
        assert run.stdout.readline() == b"1.0 2.0 steps\n"
        (worker,) = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        run.kill()
    assert _gone(int(worker))


def test_a_stage_finds_the_threads_it_may_use_and_telemetry_switched_off(task, place, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    setting = Setting(environment=environment(3))
    run_task(task("look_around"), place, setting, silent)
    assert (place.out / "text").read_text() == "3 1"


def test_what_the_user_set_in_the_environment_stays(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert environment(3)["OMP_NUM_THREADS"] == "7"


def _gone(pid: int) -> bool:
    for _ in range(100):
        status = Path(f"/proc/{pid}/stat")
        if not status.exists() or status.read_text().rpartition(")")[2].split()[0] in "ZX":
            return True
        time.sleep(0.05)
    return False


def test_pages_of_mapped_files_are_no_memory_that_a_stage_needs(task, place, setting, tmp_path):
    (tmp_path / "table").write_bytes(bytes(200 << 20))
    options = {"file": str(tmp_path / "table")}
    used = run_task(task("read_mapped", **options), place, setting, silent).usage
    assert used.resident > 200 << 20
    assert used.peak < 100 << 20
