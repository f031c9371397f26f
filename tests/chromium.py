"""A real browser for tests of pages; the project brings it where there is none."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, and end it."""
    found = subprocess.run(
        [ROOT / ".ci" / "browser"], capture_output=True, text=True, check=True, timeout=280
    )
    with sync_playwright() as playwright:
        path = found.stdout.strip().splitlines()[-1]
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
