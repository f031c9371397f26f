"""Toolchains are built whole, once, from what is pinned."""

import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pipeline.toolchains import place
from pipeline.toolchains.build import sync
from registry.errors import ResourceError, ToolchainError
from registry.progress import silent


def never() -> None:
    raise AssertionError("nobody else builds it")


def run(python: Path, code: str) -> str:
    call = [str(python), "-P", "-c", code]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()


def test_what_is_pinned_imports_and_nothing_else_is_there(small):
    python = sync(small(), silent, never)
    assert run(python, "import tinypack; print(tinypack.answer)") == "42"
    code = "from importlib.metadata import distributions as d; print([x.name for x in d()])"
    assert run(python, code) == "['tinypack']"


def test_it_is_built_where_distutils_was_imported_before(small, monkeypatch):
    """Setuptools watches who looks for pip, and warns then."""
    monkeypatch.setitem(sys.modules, "distutils", ModuleType("distutils"))
    assert sync(small(), silent, never).exists()


def test_it_is_built_once(small):
    toolchain = small()
    sync(toolchain, silent, never)
    seen = []
    sync(toolchain, lambda *event: seen.append(event), never)
    assert seen == []
    assert place.is_built(toolchain)


def test_nothing_but_the_toolchain_is_left(small, tmp_path):
    toolchain = small()
    sync(toolchain, silent, never)
    names = {path.name for path in (tmp_path / "toolchains").iterdir()}
    assert names == {f"small-{toolchain.digest()}", f"small-{toolchain.digest()}.lock"}


def test_other_pins_are_another_toolchain(small):
    old = sync(small(), silent, never)
    new = sync(small("answer = 43\n", "1.1"), silent, never)
    assert old != new
    assert run(old, "import tinypack; print(tinypack.answer)") == "42"
    assert run(new, "import tinypack; print(tinypack.answer)") == "43"


def test_a_package_that_is_not_what_was_pinned_is_refused(small, tmp_path):
    toolchain = small()
    wheel = tmp_path / "shop" / "tinypack-1.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    with pytest.raises(ToolchainError, match=r"small cannot be built(.|\n)*DO NOT MATCH"):
        sync(toolchain, silent, never)
    assert not place.is_built(toolchain)


def test_a_package_that_cannot_be_had_is_named(small, tmp_path):
    toolchain = small()
    (tmp_path / "shop" / "tinypack-1.0-py3-none-any.whl").unlink()
    with pytest.raises(ToolchainError, match=r"tinypack==1\.0(.|\n)*run the same command again"):
        sync(toolchain, silent, never)


def test_what_was_fetched_before_it_was_stopped_is_not_fetched_again(small, tmp_path):
    toolchain = small()
    shop = tmp_path / "shop" / "tinypack-1.0-py3-none-any.whl"
    draft = place.folder_of(toolchain).with_name(f"small-{toolchain.digest()}.partial")
    (draft / "wheels").mkdir(parents=True)
    (draft / "environment" / "half").mkdir(parents=True)
    shop.rename(draft / "wheels" / shop.name)
    sync(toolchain, silent, never)
    assert place.is_built(toolchain)


def test_progress_counts_packages_up_to_the_total(small):
    seen = []
    sync(small(), lambda *event: seen.append(event), never)
    assert seen == [(0, 2, "packages"), (1, 2, "packages"), (2, 2, "packages")]


def test_two_that_build_the_same_wait_for_one_another(small):
    toolchain, pythons, waited = small(), [], []

    def build() -> None:
        pythons.append(sync(toolchain, silent, lambda: waited.append(1)))

    threads = [threading.Thread(target=build) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(pythons)) == 1
    assert len(waited) == 1


def test_too_small_a_disk_is_told_before_anything_is_fetched(small, tmp_path):
    toolchain = small(disk=1 << 60)
    with pytest.raises(ResourceError, match="PIPELINE_TOOLCHAINS"):
        sync(toolchain, silent, never)
    assert not place.folder_of(toolchain).exists()


def test_a_python_that_there_is_not_is_named(small):
    with pytest.raises(ToolchainError, match=r"needs Python >=4.*Install one"):
        sync(small(python=">=4"), silent, never)


def test_an_environment_that_holds_all_that_is_pinned_is_the_toolchain(small, tmp_path):
    toolchain = small()
    (tmp_path / "small.txt").write_text(f"numpy=={np.__version__} --hash=sha256:{'0' * 64}\n")
    assert place.is_here(toolchain)
    assert sync(toolchain, silent, never) == Path(sys.executable)
    assert not (tmp_path / "toolchains").exists()


def test_the_users_cache_holds_toolchains_unless_told_otherwise(monkeypatch, tmp_path):
    monkeypatch.delenv("PIPELINE_TOOLCHAINS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert place.toolchains_home() == tmp_path / "model-pipeline" / "toolchains"
