"""Publishing is killed at any moment, or runs out of disk, and nothing is lost or half there."""

import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from registry import Catalog
from registry.errors import ResourceError
from tests.drafts import write_draft
from tests.places import Place, folder_place

ROOT = Path(__file__).parents[2]

#: The suite of all stores speaks http too.
both = pytest.mark.parametrize("place", ["folder", "s3 over https"], indirect=True)


def start(place: Place, *arguments: object, under: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """Start a publisher, and wait until it is about to publish."""
    command = (*under, sys.executable, "-m", "tests.publisher", place.url, place.endpoint or "")
    process = subprocess.Popen(
        [*command, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


def check(catalog: Catalog) -> int:
    """Verify every version that can be seen, and return how many there are."""
    numbers = catalog.versions("ads")
    assert numbers == tuple(range(1, len(numbers) + 1))
    for number in numbers[-3:]:
        catalog.verify(catalog.version("ads", number))
    return len(numbers)


@both
def test_killed_at_any_moment_it_leaves_no_half_version(place: Place, tmp_path):
    catalog = Catalog(place.open())
    chance = random.Random(7)
    for attempt in range(12 if place.endpoint else 24):
        process = start(place, tmp_path / "draft", 1000)
        time.sleep(chance.uniform(0, 0.4))
        process.kill()
        printed = process.communicate()[0].split()
        count = check(catalog)
        assert count >= max(map(int, printed), default=0), f"attempt {attempt} lost a version"
    process = start(place, tmp_path / "draft", 1)
    printed = process.communicate()[0].split()
    assert (process.returncode, printed) == (0, [str(count + 1)])
    assert check(catalog) == count + 1


@both
def test_killed_at_its_steps_every_action_leaves_the_store_whole(place: Place, tmp_path):
    every, kills = (40, 2) if place.endpoint else (5, 10)
    *actions, moments, killed = run("killing", place, tmp_path, every, kills)
    assert [name for name, _ in actions] == ["push", "move", "pull", "sweep"]
    assert all(int(steps) >= every for _, steps in actions)
    assert moments == ["moments", str(kills)]
    assert int(killed[1]) >= sum(int(steps) // every for _, steps in actions)


@both
def test_who_reads_without_a_pause_never_sees_half_of_anything(place: Place, tmp_path):
    publishes = 10 if place.endpoint else 50
    [[_, looks, _, seen]] = run("polling", place, tmp_path, publishes)
    assert int(looks) >= int(seen) >= 2


@both
def test_sixteen_processes_that_publish_one_model_at_once_get_a_number_each(place: Place, tmp_path):
    times = 1 if place.endpoint else 4
    assert run("crowd", place, tmp_path, 16, times) == [["versions", str(16 * times)]]


def run(program: str, place: Place, folder: Path, *numbers: int) -> list[list[str]]:
    """Run a program of the tests to its end, and return the words of its lines."""
    arguments = [place.url, place.endpoint or "", str(folder), *map(str, numbers)]
    done = subprocess.run(
        [sys.executable, "-m", f"tests.{program}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


@both
def test_killed_while_it_pulls_a_later_pull_is_right(place: Place, tmp_path):
    catalog = Catalog(place.open())
    draft = write_draft(tmp_path / "draft", answer=os.urandom(24 << 20))
    version = catalog.publish(draft, tmp_path / "draft")
    code = (
        "import sys; from pathlib import Path; from registry import Catalog;"
        "from registry.store import open_store;"
        "catalog = Catalog(open_store(sys.argv[1], endpoint=sys.argv[2] or None));"
        "version = catalog.resolve('ads'); print('ready', flush=True);"
        "catalog.pull(version, Path(sys.argv[3]))"
    )
    for delay in (0.005, 0.02, 0.05):
        arguments = [place.url, place.endpoint or "", str(tmp_path / "pulled")]
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], cwd=ROOT, stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        process.kill()
        process.communicate()
    folder = catalog.pull(version, tmp_path / "pulled")
    for name in version.files:
        assert (folder / name).read_bytes() == (tmp_path / "draft" / name).read_bytes()


def test_a_file_that_may_not_grow_is_an_error_of_resources_and_leaves_nothing(tmp_path):
    place = folder_place(tmp_path / "store")
    process = start(place, tmp_path / "draft", 1, 1 << 20)
    printed = process.communicate()[0]
    assert process.returncode == ResourceError.exit_code
    assert re.match("ResourceError: .*: File too large. Free space on the disk of .*store", printed)
    assert Catalog(place.open()).models() == ()
    assert not [path for path in (tmp_path / "store").rglob("*") if path.stat().st_size > 1 << 19]
    process = start(place, tmp_path / "draft", 1)
    assert process.communicate()[0] == "1\n"


def test_a_full_disk_is_an_error_of_resources(tmp_path):
    (tmp_path / "store").mkdir()
    mount = 'mount -t tmpfs -o size=1m none "$0" && exec "$@"'
    own_disk = ("unshare", "-m", "sh", "-c", mount, str(tmp_path / "store"))
    if not shutil.which("unshare") or subprocess.run([*own_disk, "true"], check=False).returncode:
        pytest.skip("a disk of one's own needs the right to mount")
    process = start(folder_place(tmp_path / "store"), tmp_path / "draft", 1, under=own_disk)
    printed = process.communicate()[0]
    assert process.returncode == ResourceError.exit_code
    assert "No space left on device. Free space" in printed
