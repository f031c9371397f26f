"""A small store in the current folder, and `pipeline registry` as people call it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pipeline.cli import call
from registry import Catalog
from registry.store import open_store
from tests.chromium import chromium
from tests.drafts import write_draft

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a real browser."""
    with chromium() as started:
        yield started


@pytest.fixture
def ads_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """Publish two versions, move a channel twice, and go where the default store is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PIPELINE_STORE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    catalog = Catalog(open_store(".pipeline/store"))
    for answer in (b"1", b"2"):
        draft = write_draft(tmp_path / "draft", answer=answer)
        catalog.publish(draft, tmp_path / "draft")
    catalog.move("ads", "candidate", 2, who="ann", why="newer \x1b[31m")
    catalog.move("ads", "candidate", 1, who="bob", why="slower")
    return catalog


@pytest.fixture
def registry_command(capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command, and give its exit code, its results and its errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = call(["registry", *arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run
