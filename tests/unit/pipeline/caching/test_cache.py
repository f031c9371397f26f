"""The cache: whole entries or none."""

import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.caching import cache
from pipeline.caching.kept_files import keep_files
from pipeline.caching.material import Material
from pipeline.record import Usage


@pytest.fixture
def material() -> Material:
    return Material(
        stage="split", options={"a": 1}, folder="/", files={}, inputs={}, code="", tools={}
    )


@pytest.fixture
def folder(tmp_path, material) -> Path:
    return cache.folder_of(tmp_path, "split", material.key())


@pytest.fixture
def made(folder, material) -> Path:
    """Make an entry and return its folder."""
    make(folder, material)
    return folder


def make(folder: Path, material: Material, text: str = "text") -> None:
    with cache.hold(folder, _never), cache.draft_of(folder) as draft:
        (draft / "output" / "inner").mkdir(parents=True)
        (draft / "output" / "inner" / "file").write_text(text)
        entry = cache.Entry(
            name="split",
            material=material,
            usage=Usage(seconds=1, cpu=1, peak=1),
            files=keep_files(draft / "output"),
            made=datetime.now(UTC),
        )
        cache.commit(draft, entry, folder)


def write(made: Path, text: str) -> None:
    """Write into the output's file as one who may write everywhere."""
    (made / "output/inner/file").chmod(0o644)
    (made / "output/inner/file").write_text(text)


def sizes(entry: cache.Entry) -> dict[str, int]:
    return {name: file.size for name, file in entry.files.items()}


def _never() -> None:
    pytest.fail("nobody else holds it")


def test_an_entry_is_found_again(made):
    assert sizes(cache.read_entry(made)) == {"inner/file": 4}


def test_no_entry_is_no_damage(folder):
    with pytest.raises(FileNotFoundError):
        cache.read_entry(folder)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda made: (made / "record.json").unlink(), "its record cannot be read"),
        (lambda made: (made / "record.json").write_text("{"), "its record cannot be read"),
        (lambda made: (made / "output/inner/file").unlink(), "its file inner/file is gone"),
        (lambda made: write(made, "x"), "its file inner/file was changed"),
        (lambda made: write(made, "test"), "its file inner/file was changed"),
    ],
)
def test_damage_is_noticed_and_made_good(made, material, harm, words):
    harm(made)
    with pytest.raises(ValueError, match=words):
        cache.read_entry(made)
    make(made, material, "text")
    assert sizes(cache.read_entry(made)) == {"inner/file": 4}


def test_an_entry_needs_an_output(folder, material):
    with pytest.raises(ValueError, match="files"):
        cache.Entry(
            name="split",
            material=material,
            usage=Usage(seconds=1, cpu=1, peak=1),
            files={},
            made=datetime.now(UTC),
        )


def test_a_draft_that_fails_leaves_nothing(folder):
    with cache.hold(folder, _never), suppress(KeyError), cache.draft_of(folder) as draft:
        (draft / "file").write_text("half")
        raise KeyError
    assert [path.suffix for path in folder.parent.iterdir()] == [".lock"]


def test_what_a_killed_run_left_is_swept_and_what_a_run_makes_is_not(tmp_path, folder, made):
    left = folder.with_name(f"{folder.name}.abc.partial")
    other = folder.with_name("held.abc.partial")
    for draft in (left, other):
        (draft / "output").mkdir(parents=True)
    with cache.hold(folder.with_name("held"), _never):
        cache.sweep(tmp_path)
        assert other.exists()
    assert not left.exists()
    assert cache.read_entry(made)


def test_a_second_run_waits_until_the_first_is_done(folder):
    script = (
        "import sys; from pathlib import Path; from pipeline.caching import cache\n"
        "with cache.hold(Path(sys.argv[1]), lambda: print('waiting', flush=True)):\n"
        "    print('in', flush=True)"
    )
    with cache.hold(folder, _never):
        other = subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[4],
        )
        assert other.stdout.readline() == "waiting\n"
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.3)
    assert other.communicate(timeout=10)[0] == "in\n"


def test_the_reason_of_a_first_run(tmp_path, material):
    assert cache.why_not(tmp_path, "model", "split", material) == "first run"


def test_the_reason_is_what_changed_since_the_last_time(tmp_path, material):
    cache.remember(tmp_path, "model", "split", material)
    other = material.model_copy(update={"options": {"a": 2}})
    assert cache.why_not(tmp_path, "model", "split", other) == "option a: 1 → 2"


def test_another_job_for_the_same_model_is_no_earlier_time(tmp_path, material):
    cache.remember(tmp_path, "model/one.yaml", "split", material)
    other = material.model_copy(update={"options": {"a": 2}})
    assert cache.why_not(tmp_path, "model/two.yaml", "split", other) == "first run"
    moved = other.model_copy(update={"folder": "/moved", "files": {"x": "1"}})
    assert cache.why_not(tmp_path, "model/one.yaml", "split", moved).startswith(
        "first run in this folder"
    )


def test_the_reason_where_nothing_changed_but_the_output_was_removed(tmp_path, material):
    cache.remember(tmp_path, "model", "split", material)
    assert "not in the cache any more" in cache.why_not(tmp_path, "model", "split", material)


def test_an_earlier_output_is_found_by_the_name_of_its_task(tmp_path, made, material):
    assert cache.entry_before(tmp_path, "model", "split") is None
    cache.remember(tmp_path, "model", "split", material)
    assert cache.entry_before(tmp_path, "model", "split").material == material
