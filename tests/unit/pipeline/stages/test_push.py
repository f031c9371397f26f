"""The stage that publishes."""

import os
import shutil
from uuid import uuid4

import pytest

from pipeline.processes.task import Task
from pipeline.stages import push
from registry import Catalog
from registry.errors import IntegrityError, StoreError
from registry.manifest import Version
from registry.progress import silent
from registry.signing.kept import signatures_of
from registry.signing.trust import Trust
from registry.store import open_store
from tests.drafts import write_draft
from tests.kept import write_record
from tests.keys import make_pair
from tests.seaweed import BUCKET
from tests.table_drafts import SHARD_ROWS, change_rows, some_rows, write_table_draft


@pytest.fixture
def assembled(tmp_path):
    return lambda answer=b"weights": _assemble(tmp_path / answer.decode(), answer)


def _assemble(folder, answer):
    version = folder / "output" / "version"
    return _keep(folder, write_draft(version, answer=answer))


def _keep(folder, draft):
    shutil.rmtree(folder / "output/version/report")
    (folder / "output" / "draft.json").write_text(
        draft.model_copy(update={"report": None}).model_dump_json()
    )
    write_record(folder / "output")
    return folder / "output"


@pytest.fixture
def report(tmp_path):
    folder = tmp_path / "a report"
    folder.mkdir()
    (folder / "index.html").write_text("<html/>")
    (folder / "report.json").write_text("{}")
    return folder


def run(tmp_path, out, channel="candidate", store="store", endpoint=None, **inputs):
    out = tmp_path / out
    out.mkdir()
    options = {"store": store, "endpoint": endpoint, "channel": channel, "who": "ada@host"}
    task = Task(name="push", stage="push", inputs=inputs, options=options, folder=tmp_path)
    push.run(task, out, silent)
    return Version.model_validate_json((out / "version.json").read_bytes())


def test_publishes_to_a_folder_beside_the_job_and_moves_the_channel(tmp_path, assembled, report):
    version = run(tmp_path, "out", assemble=assembled(), report=report)
    catalog = Catalog(open_store(str(tmp_path / "store")))
    assert version.number == 1
    assert catalog.resolve("ads@candidate") == version
    assert version.report == "report"
    assert {"report/index.html", "report/report.json"} <= version.files.keys()
    assert catalog.channel("ads", "candidate").who == "ada@host"
    catalog.verify(version)


def test_leaves_nothing_but_the_version_in_its_output(tmp_path, assembled, report):
    run(tmp_path, "out", assemble=assembled(), report=report)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "pushed.json",
        "version.json",
    ]
    assert not (tmp_path / "weights" / "output" / "version" / "report").exists()


def test_the_same_bytes_are_the_same_version_and_the_channel_stays(tmp_path, assembled):
    folder = assembled()
    assert run(tmp_path, "one", assemble=folder) == run(tmp_path, "two", assemble=folder)
    catalog = Catalog(open_store(str(tmp_path / "store")))
    assert catalog.versions("ads") == (1,)
    assert len(catalog.history("ads", "candidate")) == 1
    pushed = [
        push.Pushed.model_validate_json(file.read_bytes()).already
        for file in (tmp_path / "one/pushed.json", tmp_path / "two/pushed.json")
    ]
    assert pushed == [False, True]


def test_other_bytes_are_another_version_and_the_channel_moves(tmp_path, assembled):
    run(tmp_path, "one", assemble=assembled())
    version = run(tmp_path, "two", assemble=assembled(b"other"))
    catalog = Catalog(open_store(str(tmp_path / "store")))
    assert [move.version for move in catalog.history("ads", "candidate")] == [1, 2]
    assert version.number == 2


def test_rows_that_changed_are_found_in_what_was_assembled_before(tmp_path, s3_environment):
    rows, published = some_rows(2 * SHARD_ROWS), []
    store = f"s3://{BUCKET}/{uuid4().hex}?compare=near"
    for seed in range(2):
        folder = tmp_path / "assemble" / str(seed)
        draft = write_table_draft(folder / "output/version", change_rows(rows, 0.01, seed))
        output = _keep(folder, draft)
        where = {"store": store, "endpoint": s3_environment.http}
        published.append(run(tmp_path, f"out-{seed}", assemble=output, **where))
    assert published[1].recipes.keys() == {
        f"tables/items/{number:06d}.safetensors" for number in range(2)
    }
    Catalog(open_store(store, endpoint=s3_environment.http)).verify(published[1])


def test_without_a_channel_nothing_moves(tmp_path, assembled):
    run(tmp_path, "out", channel=None, assemble=assembled())
    assert Catalog(open_store(str(tmp_path / "store"))).channels("ads") == ()


def test_a_url_is_not_taken_for_a_folder_beside_the_job(tmp_path, assembled):
    run(tmp_path, "out", store=f"file://{tmp_path}/elsewhere", assemble=assembled())
    assert Catalog(open_store(str(tmp_path / "elsewhere"))).versions("ads") == (1,)
    with pytest.raises(StoreError, match="no such kind of store"):
        run(tmp_path, "two", store="ftp://host/x", assemble=assembled(b"other"))


def test_a_file_that_changed_since_it_was_assembled_is_not_published(tmp_path, assembled):
    folder = assembled()
    file = folder / "version/builds/cpu/model.bin"
    before = file.stat()
    file.chmod(0o644)
    file.write_bytes(b"WEIGHTS")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(IntegrityError, match=r"builds/cpu/model\.bin was changed"):
        run(tmp_path, "out", assemble=folder)
    assert Catalog(open_store(str(tmp_path / "store"))).versions("ads") == ()


def test_what_nobody_has_a_record_of_is_not_published(tmp_path, assembled):
    folder = assembled()
    (folder.parent / "record.json").unlink()
    with pytest.raises(IntegrityError, match="no record"):
        run(tmp_path, "out", assemble=folder)


def test_signs_what_it_pushes_and_moves_where_the_environment_names_a_key(
    tmp_path, assembled, monkeypatch
):
    ann = make_pair(tmp_path, "ann")
    monkeypatch.setenv("PIPELINE_SIGN", str(ann.private))
    folder = assembled()
    for out in ("out", "again"):  # the second finds it there, and signed
        run(tmp_path, out, assemble=folder)
    store = open_store(str(tmp_path / "store"))
    strict = Catalog(store, Trust((ann.public,), moves=True))
    assert strict.resolve("ads@candidate").number == 1
    assert len(signatures_of(store, "ads", 1)) == 1
    monkeypatch.setenv("PIPELINE_SIGN", "ci.key:")
    with pytest.raises(StoreError, match=r"signer 'ci\.key:': write KEY"):
        run(tmp_path, "wrong", assemble=assembled(b"other"))
