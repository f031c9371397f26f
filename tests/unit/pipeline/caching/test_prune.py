"""What is removed from the cache, and what never is."""

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipeline.caching import cache
from pipeline.caching.holding import needing
from pipeline.caching.inventory import DAMAGED, take_inventory
from pipeline.caching.kept_files import keep_files
from pipeline.caching.material import Material
from pipeline.caching.prune import Rule, choose, prune
from pipeline.caching.room import bytes_freed, bytes_taken, files_of
from pipeline.record import Usage
from tests.bench import Bench

NOW = datetime(2026, 6, 30, tzinfo=UTC)
KIB = 1 << 10


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


class Home:
    """A home with entries and runs, written as the engine writes them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entry(self, task: str, made: datetime, *, size: int = KIB, link: Path | None = None):
        material = Material(
            stage="split", options={"t": task}, folder="/", files={}, inputs={}, code="", tools={}
        )
        folder = cache.folder_of(self.path, "split", material.key())
        with cache.hold(folder, lambda: None), cache.draft_of(folder) as draft:
            (draft / "output").mkdir()
            (draft / "output" / "file").write_bytes(os.urandom(size))
            if link:
                (draft / "output" / "linked").hardlink_to(link / "output" / "file")
            cache.commit(
                draft,
                cache.Entry(
                    name=task,
                    material=material,
                    usage=Usage(seconds=1, cpu=1, peak=1),
                    files=keep_files(draft / "output"),
                    made=made,
                ),
                folder,
            )
        return folder

    def run(self, model: str, started: datetime, *entries: Path) -> Path:
        folder = self.path / "runs" / model / started.strftime("%Y%m%d-%H%M%S")
        folder.mkdir(parents=True)
        stages = [{"name": "x", "output": str(entry / "output")} for entry in entries]
        text = {"model": model, "started": started.isoformat(), "stages": stages, "other": 1}
        (folder / "run.json").write_text(json.dumps(text))
        return folder

    def tasks(self) -> set[str]:
        return {entry.task for entry in take_inventory(self.path).entries}


@pytest.fixture
def home(tmp_path) -> Home:
    return Home(tmp_path)


def test_what_no_run_used_for_long_goes_and_its_last_use_counts(home):
    home.entry("old", days_ago(40))
    used = home.entry("old but used", days_ago(40))
    home.entry("new", days_ago(1))
    home.run("m", days_ago(2), used)
    prune(home.path, Rule(unused=timedelta(days=30)), NOW)
    assert home.tasks() == {"old but used", "new"}


def test_what_the_newest_runs_did_not_use_goes_with_the_runs_before_them(home):
    entries = [home.entry(f"task {n}", days_ago(9 - n)) for n in range(3)]
    runs = [home.run("m", days_ago(9 - n), entry) for n, entry in enumerate(entries)]
    other = home.run("other model", days_ago(20), entries[0])
    chosen = prune(home.path, Rule(runs=1), NOW)
    assert home.tasks() == {"task 0", "task 2"}
    assert [run.folder for run in chosen.runs] == runs[1::-1]
    assert [path.is_dir() for path in (*runs, other)] == [False, False, True, True]


def test_the_longest_unused_goes_until_the_rest_fits(home):
    for number in range(4):
        home.entry(f"task {number}", days_ago(9 - number), size=200 * KIB)
    prune(home.path, Rule(size=450 * KIB), NOW)
    assert home.tasks() == {"task 2", "task 3"}


def test_a_size_that_is_kept_already_removes_nothing(home):
    home.entry("task", days_ago(400))
    assert prune(home.path, Rule(size=1 << 30), NOW).entries == ()


def test_files_that_entries_share_are_counted_once_and_freed_with_the_last(home):
    first = home.entry("first", days_ago(9), size=300 * KIB)
    second = home.entry("second", days_ago(1), link=first)
    both = bytes_taken([*files_of(first), *files_of(second)])
    assert 300 * KIB < both < 400 * KIB
    assert bytes_freed(files_of(first)) < 100 * KIB
    chosen = choose(take_inventory(home.path), Rule(unused=timedelta(0)), NOW)
    assert 300 * KIB < chosen.freed < 400 * KIB
    prune(home.path, Rule(size=350 * KIB), NOW)
    assert home.tasks() == {"first", "second"}


def test_to_choose_changes_nothing(home):
    home.entry("old", days_ago(40))
    home.run("m", days_ago(40))
    home.run("m", days_ago(39))
    before = sorted(home.path.rglob("*"))
    chosen = choose(take_inventory(home.path), Rule(unused=timedelta(days=1)), NOW)
    assert (len(chosen.entries), len(chosen.runs)) == (1, 1)
    assert sorted(home.path.rglob("*")) == before


def test_what_a_running_run_needs_stays_whatever_the_rule(home):
    needed, other = home.entry("needed", days_ago(40)), home.entry("other", days_ago(40))
    run = home.run("m", days_ago(1))
    rule = Rule(unused=timedelta(0), runs=1, size=0)
    with needing(home.path, run, [needed]):
        chosen = prune(home.path, rule, NOW)
        assert [entry.task for entry in chosen.entries] == ["other"]
        home.entry("added meanwhile", datetime.now(UTC))
        assert prune(home.path, rule, NOW).entries == ()
    assert not other.exists()
    assert {entry.task for entry in prune(home.path, rule, NOW).entries} == {
        "needed",
        "added meanwhile",
    }


def test_a_running_run_itself_stays(home):
    running = home.run("m", days_ago(50))
    home.run("m", days_ago(1))
    with needing(home.path, running, []):
        assert prune(home.path, Rule(unused=timedelta(days=9), runs=1), NOW).runs == ()
    assert len(prune(home.path, Rule(unused=timedelta(days=9)), NOW).runs) == 1


def test_the_newest_run_of_a_model_stays(home):
    home.run("m", days_ago(400))
    assert prune(home.path, Rule(unused=timedelta(days=1), runs=1), NOW).runs == ()


def test_a_damaged_entry_goes_by_any_rule(home):
    (home.entry("task", days_ago(1)) / "record.json").write_text("{")
    assert home.tasks() == {DAMAGED}
    prune(home.path, Rule(size=1 << 40), NOW)
    assert home.tasks() == set()


def test_an_entry_is_found_where_the_home_was_moved_since(home, tmp_path):
    home.run("m", days_ago(1), home.entry("task", days_ago(9)))
    moved = tmp_path.with_name("moved")
    shutil.move(tmp_path, moved)
    (entry,) = take_inventory(moved).entries
    assert entry.models == ("m",)


def test_nothing_but_the_entries_own_files_goes(home):
    folder = home.entry("old", days_ago(40))
    prune(home.path, Rule(unused=timedelta(days=1)), NOW)
    assert list(folder.parent.iterdir()) == []


def test_an_entry_that_is_being_made_is_left_alone(home):
    folder = home.entry("task", days_ago(40))
    with cache.hold(folder, lambda: None):
        assert prune(home.path, Rule(unused=timedelta(days=1)), NOW).entries == ()
    assert folder.exists()


def test_the_commands_show_first_and_remove_when_told(home):
    bench = Bench(home.path, {"PIPELINE_HOME": str(home.path)})
    home.entry("old", days_ago(40))
    home.run("m", days_ago(300))
    listed = json.loads(bench.call("cache", "ls", "--json").out)
    assert [entry["task"] for entry in listed["entries"]] == ["old"]
    assert listed["bytes"] > KIB
    shown = bench.call("cache", "prune", "--unused-for", "0")
    assert "output of old" in shown.out
    assert "would be removed" in shown.out
    assert home.tasks() == {"old"}
    done = json.loads(bench.call("cache", "prune", "--unused-for", "0", "--apply", "--json").out)
    assert (done["applied"], len(done["entries"]), done["runs"]) == (True, 1, [])
    assert home.tasks() == set()
    assert bench.call("cache", "prune").code == 2


def test_weights_that_no_run_took_for_long_go_unless_a_run_is_under_way(home):
    old, new = home.path / "weights" / "a" / "1", home.path / "weights" / "a" / "2"
    for folder, days in ((old, 40), (new, 1)):
        folder.mkdir(parents=True)
        (folder / "w.safetensors").write_bytes(b"w" * (64 << 10))
        os.utime(folder, times=(days_ago(days).timestamp(),) * 2)
    rule = Rule(unused=timedelta(days=30))
    run = home.run("clicks", days_ago(2))
    with needing(home.path, run, ()):
        assert prune(home.path, rule, NOW).weights == ()
    assert prune(home.path, Rule(runs=1, size=0), NOW).weights == ()
    chosen = prune(home.path, rule, NOW)
    assert chosen.weights == (old,)
    assert chosen.freed >= 64 << 10
    assert (old.exists(), new.exists()) == (False, True)
