"""What `registry show`, the pages and the report say of a build, its int8 and its figures."""

import pytest

from pipeline.commands.version_text import describe
from pipeline.report.write import render
from registry import Catalog
from registry.manifest import Build, Version
from registry.store import open_store
from registry.web.app import App
from registry.web.room import Room
from tests.asgi import ask
from tests.drafts import BENCHMARK, write_draft
from tests.run_records import run_record

BUSY = BENCHMARK.model_copy(update={"load": 18.0})


def quantised(build: Build) -> Build:
    """Have a build in int8, with all that a target can ask for, timed beside other work."""
    (part,), (parity,) = build.parts, build.parity
    contract = part.contract.model_copy(update={"precision": "i8", "allocator": "jemalloc"})
    told = {"precision": "i8", "contract": contract, "layout": "channels_last"}
    shipped = {"kind": "precision", "in_force": {"int8": "7 bits, scales of 256 samples"}}
    return build.model_copy(
        update={
            "parts": (part.model_copy(update=told),),
            "parity": (parity, parity.model_copy(update=shipped)),
            "benchmark": BUSY,
        }
    )


@pytest.fixture
def catalog(tmp_path) -> Catalog:
    (tmp_path / "draft").mkdir()
    draft = write_draft(tmp_path / "draft")
    catalog = Catalog(open_store(str(tmp_path / "store")))
    catalog.publish(draft, tmp_path / "draft")
    builds = tuple(map(quantised, draft.builds))
    catalog.publish(draft.model_copy(update={"builds": builds}), tmp_path / "draft")
    return catalog


def test_int8_allocator_and_memory_format_of_a_build_are_shown(catalog: Catalog):
    plain, told = (describe(catalog.version("ads", number)) for number in (1, 2))
    for wanted in (
        "int8: 7 bits, scales of 256 samples",
        "allocator jemalloc",
        "memory format channels_last",
    ):
        assert wanted in told
        assert wanted.partition(" ")[0] not in plain


def test_the_page_of_a_version_shows_them_too(catalog: Catalog):
    page = ask(App(Room(catalog)), "/models/ads/versions/2").text
    for wanted in ("7 bits, scales of 256 samples", "jemalloc", "channels_last"):
        assert wanted in page


def test_figures_that_were_taken_beside_other_work_are_marked(catalog: Catalog):
    busy = "measured while the host was busy (load 18 on 2 CPUs)"
    assert busy in describe(catalog.version("ads", 2))
    assert busy in ask(App(Room(catalog)), "/models/ads/versions/2").text
    assert " busy<" in ask(App(Room(catalog)), "/models/ads/speed").text.replace('">', " ")
    assert "busy" not in describe(catalog.version("ads", 1))
    record = run_record()
    (found,) = record.validations
    held = found.model_copy(update={"benchmark": BUSY})
    assert busy in render(record.model_copy(update={"validations": (held,)}))
    assert busy not in render(record)


def test_a_host_with_more_cpus_than_the_process_may_use_is_not_busy_by_that_load():
    assert BUSY.model_copy(update={"host_cpus": 64}).busy is None
    assert BENCHMARK.busy is None


def test_versions_that_were_written_before_are_read(catalog: Catalog):
    version = catalog.version("ads", 1)
    written = version.model_dump(mode="json", by_alias=True)
    for build in written["builds"]:
        del build["benchmark"]["host_cpus"]
        for part in build["parts"]:
            del part["layout"]
    assert Version.model_validate(written) == version
