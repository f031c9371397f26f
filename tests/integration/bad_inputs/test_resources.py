"""Disks and memories that do not suffice."""

import resource
import shutil
import subprocess

import numpy as np
import pytest
from onnx.helper import make_node

from registry.errors import ResourceError, WorkerError
from tests.bad_onnx import sound, write
from tests.bench import Bench, give_up_the_rights_of_root

MIB = 1 << 20


@pytest.fixture
def disk(tmp_path) -> tuple[str, ...]:
    """Give what a command is put under so that its home is on a disk of 2 MiB."""
    (tmp_path / "home").mkdir()
    mount = 'mount -t tmpfs -o size=2m none "$0" && exec "$@"'
    under = ("unshare", "-m", "sh", "-c", mount, str(tmp_path / "home"))
    if not shutil.which("unshare") or subprocess.run([*under, "true"], check=False).returncode:
        pytest.skip("a disk of one's own needs the right to mount")
    return under


@pytest.fixture
def heavy(tmp_path) -> Bench:
    """Give a job whose model is of 3 MiB."""
    made = Bench(tmp_path)
    weight = np.linspace(-1, 1, 4 * 196_608, dtype="f4").reshape(4, -1)
    nodes = [
        make_node("MatMul", ["x", "weight"], ["wide"]),
        make_node("ReduceMean", ["wide"], ["y"], axes=[1]),
    ]
    made.write(**write(tmp_path, nodes, {"weight": weight}))
    return made


def test_a_model_bigger_than_the_disk_is_refused_before_any_work(heavy, disk):
    said = heavy.run("run", "job.yaml", under=disk)
    words = ("home: the run needs at least", "of disk", "are free", "PIPELINE_HOME")
    heavy.failed_well(said, ResourceError, words, {})
    assert "split: started" not in said.err


def test_a_disk_that_fills_up_half_way(heavy, disk):
    said = heavy.run("run", "job.yaml", "--ignore-forecast", under=disk)
    heavy.failed_well(said, ResourceError, ("split: the disk that holds", "is full"), {})


def test_a_disk_that_has_no_room_for_the_record(heavy, disk):
    """`run.json` is the last file to be written, and there is nowhere to say what went wrong."""
    *start, mount, home = disk
    full = mount.replace("&&", '&& head -c 2090000 /dev/zero > "$0/full" &&', 1)
    said = heavy.run("run", "job.yaml", "--ignore-forecast", under=(*start, full, home))
    heavy.failed_well(said, ResourceError, ("PIPELINE_HOME",), {})


def test_a_file_that_may_not_grow(heavy):
    """A quota that a signal enforces, as `ulimit -f` does."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, MIB))

    said = heavy.run("run", "job.yaml", preexec_fn=limit)
    heavy.failed_well(said, ResourceError, ("split:", "a limit on files", "PIPELINE_HOME"), {})


def test_a_run_that_failed_for_the_disk_goes_on_where_there_is_room(heavy, disk):
    heavy.run("run", "job.yaml", "--ignore-forecast", under=disk)
    said = heavy.run("run", "job.yaml")
    assert said.code == 0, said.err
    assert "ranker@1 in " in said.out


def test_memory_that_does_not_suffice(tmp_path):
    """The address space is limited, as batch systems do."""
    bench = Bench(tmp_path)
    nodes = [
        make_node("Expand", ["x", "size"], ["wide"], name="blow up"),
        make_node("ReduceMax", ["wide"], ["y"], axes=[0]),
    ]
    bench.write(**write(tmp_path, nodes, {"size": np.array([1 << 34, 1, 4])}))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

    said = bench.run("run", "job.yaml", preexec_fn=limit)
    bench.failed_well(said, WorkerError, ("reference: ran out of memory", "limit"), {})


def test_a_home_that_may_not_be_written(bench, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    other = Bench(bench.folder, {"PIPELINE_HOME": str(locked)})
    other.write(**sound(bench.folder))
    said = other.run("run", "job.yaml", preexec_fn=give_up_the_rights_of_root)
    words = ("locked", "cannot be written", "Give this user the right to it, or set PIPELINE_HOME")
    other.failed_well(said, ResourceError, words, bench.published())
    assert "space" not in said.err
