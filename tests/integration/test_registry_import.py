"""Models that were converted elsewhere become versions, and answer."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from pipeline.cli import call
from registry import Catalog
from registry.errors import RolloutError, SourceError
from registry.store import open_store
from targets.serving.build import choose_build
from targets.serving.load import LoadOptions, load_folder
from tests.versions import weights, write_draft


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a folder of ONNX and one of IR, as somebody else has made them, and no store yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PIPELINE_STORE", raising=False)
    write_draft(tmp_path / "made", 1)
    (tmp_path / "made/builds/openvino/model.xml").rename("made/builds/openvino/ranker.xml")
    (tmp_path / "made/builds/openvino/model.bin").rename("made/builds/openvino/ranker.bin")
    (tmp_path / "made/builds/onnxruntime/readme.md").write_text("notes")


@pytest.mark.parametrize("made", ["onnxruntime", "openvino"])
def test_an_imported_model_answers_like_the_original(registry_command, tmp_path, made):
    code, out, _ = registry_command("import", "ranker", f"made/builds/{made}")
    assert (code, out.split(":")[0]) == (0, "ranker@1")
    catalog = Catalog(open_store(".pipeline/store"))
    version = catalog.resolve("ranker")
    assert {name for name in version.files if "readme" in name} == set()
    folder = catalog.pull(version, tmp_path / "pulled")
    build = choose_build(version)
    loaded = load_folder(folder, version, build, LoadOptions(tmp_path, build.target))
    inputs = {
        "dense": np.ones((2, 3), np.float32),
        "emb__items__0": np.ones((2, 2, 4), np.float32),
    }
    try:
        answer = loaded.predictor.predict(inputs)["score"]
    finally:
        loaded.predictor.close()
    right = np.ones((2, 11), np.float32) @ weights(1)["weight"] + weights(1)["bias"]
    np.testing.assert_allclose(answer, right, rtol=1e-5)


def test_external_data_come_along(registry_command):
    model = onnx.load("made/builds/onnxruntime/model.onnx")
    Path("big").mkdir()
    onnx.save(
        model,
        "big/net.onnx",
        save_as_external_data=True,
        location="net.data",
        size_threshold=0,
    )
    told = json.loads(registry_command("import", "ranker", "big/net.onnx", "--json")[1])
    version = Catalog(open_store(".pipeline/store")).resolve("ranker")
    assert told["files"] == 2
    assert "builds/onnxruntime/net.data" in version.files


def test_the_same_model_again_is_the_same_version(registry_command):
    for _ in range(2):
        told = json.loads(registry_command("import", "r", "made/builds/openvino", "--json")[1])
        assert told["version"] == 1


@pytest.mark.parametrize(
    ("prepare", "kind", "text"),
    [
        (lambda: Path("x").mkdir(), SourceError, "there is none"),
        (lambda: _copy("a.onnx", "b.onnx"), SourceError, "there is a.onnx, b.onnx. Name the file"),
        (lambda: _write("model.xml", b"<net/>"), SourceError, "model.bin is missing"),
        (lambda: _write("model.onnx", b"junk"), SourceError, "x/model.onnx cannot be imported"),
    ],
)
def test_what_is_no_model_is_refused_and_nothing_published(registry_command, prepare, kind, text):
    prepare()
    code, out, err = registry_command("import", "ranker", "x")
    assert (code, out) == (kind.exit_code, "")
    assert text in err
    assert not Path(".pipeline/store").exists()


def test_it_is_not_rolled_out_since_nobody_knows_what_is_right(registry_command, capsys):
    registry_command("import", "ranker", "made/builds/onnxruntime")
    assert registry_command("show", "ranker")[0] == 0
    assert call(["rollout", "ranker@1"]) == RolloutError.exit_code
    assert "carries no recorded answers" in capsys.readouterr().err


def _copy(*names: str) -> None:
    for name in names:
        _write(name, Path("made/builds/onnxruntime/model.onnx").read_bytes())


def _write(name: str, data: bytes) -> None:
    Path("x").mkdir(exist_ok=True)
    (Path("x") / name).write_bytes(data)
