"""Serving views: what other tools find in a folder, held against their schemas."""

import importlib.util
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import openvino
import pytest
import torch
import yaml
from typer.utils import get_params_from_function

from pipeline.commands.serve import serve
from registry import Catalog
from registry.composition import Artifact
from registry.errors import StoreError
from registry.exchange.export import Wish
from registry.exchange.layouts import LAYOUTS
from registry.format import Format
from registry.manifest import Version
from registry.store import open_store
from tests.built import with_part
from tests.versions import DENSE_PART, publish, weights, write_draft

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def shelf(tmp_path: Path) -> Catalog:
    return Catalog(open_store(str(tmp_path / "store")))


def publish_alone(catalog: Catalog, folder: Path, seed: int = 1) -> Version:
    """Publish a version that is a graph and nothing else."""
    draft = write_draft(folder, seed)
    bare = {"tables": (), "lookups": (), "signature": DENSE_PART}
    return catalog.publish(draft.model_copy(update=bare), folder)


def lay_out(catalog: Catalog, version: Version, out: Path, layout: str, target=None) -> Path:
    return catalog.export(version, out, Wish(layout, target, catalog.store.url))


def test_a_repository_of_openvino_model_server_answers_like_the_version(shelf, tmp_path):
    version = publish_alone(shelf, tmp_path / "draft")
    config = lay_out(shelf, version, tmp_path / "out", "ovms", "openvino")
    said = json.loads(config.read_text())
    jsonschema.validate(said, json.loads((DATA / "ovms-config.schema.json").read_text()))
    (entry,) = (row["config"] for row in said["model_config_list"])
    assert entry["plugin_config"] == {
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": 1,
    }
    (number,) = entry["model_version_policy"]["specific"]["versions"]
    model = config.parent / entry["base_path"] / str(number) / "model.xml"
    compiled = openvino.Core().compile_model(model, "CPU", entry["plugin_config"])
    dense = np.ones((2, 3), np.float32)
    vectors = np.ones((2, 2, 4), np.float32)
    (answer,) = compiled([dense, vectors]).values()
    right = np.ones((2, 11), np.float32) @ weights(1)["weight"] + weights(1)["bias"]
    np.testing.assert_allclose(answer, right, rtol=1e-5)


def test_models_share_a_repository_and_a_newer_version_takes_the_place(shelf, tmp_path):
    first = publish_alone(shelf, tmp_path / "draft")
    lay_out(shelf, first, tmp_path / "out", "ovms", "openvino")
    config = tmp_path / "out/config.json"
    said = json.loads(config.read_text())
    said["model_config_list"].append({"config": {"name": "other", "base_path": "other"}})
    config.write_text(json.dumps(said))
    second = publish_alone(shelf, tmp_path / "again", seed=2)
    lay_out(shelf, second, tmp_path / "out", "ovms", "onnxruntime")
    rows = [row["config"] for row in json.loads(config.read_text())["model_config_list"]]
    assert [row["name"] for row in rows] == ["other", "ranker"]
    assert rows[1]["model_version_policy"] == {"specific": {"versions": [2]}}
    assert (tmp_path / "out/ranker/2/model.onnx").is_file()
    assert (tmp_path / "out/ranker/1/model.bin").is_file()
    assert not list((tmp_path / "out").glob(".partial*"))


@pytest.mark.parametrize("layout", ["ovms", "torchserve"])
def test_what_looks_up_rows_is_refused_where_a_tool_runs_graphs_alone(shelf, tmp_path, layout):
    version = publish(shelf, tmp_path, 1, runtimes=("onnxruntime",))
    with pytest.raises(StoreError, match=r"looks up rows of tables.*--layout kserve"):
        lay_out(shelf, version, tmp_path / "out", layout)


@pytest.mark.parametrize("place", ["s3 over http"], indirect=True)
def test_an_inference_service_is_what_kserve_takes(place, tmp_path):
    catalog = Catalog(place.open())
    version = publish(catalog, tmp_path, 1, runtimes=("onnxruntime",))
    wish = Wish("kserve", None, place.url, place.endpoint, "registry.example/pipeline:1")
    service = yaml.safe_load(catalog.export(version, tmp_path / "out", wish).read_text())
    schema = json.loads((DATA / "kserve-inferenceservice.schema.json").read_text())
    jsonschema.validate(service, schema)
    (container,) = service["spec"]["predictor"]["containers"]
    assert container["image"] == "registry.example/pipeline:1"
    assert container["args"][:4] == ["serve", "ranker@1", "--store", place.url]
    service["spec"]["predictor"]["containers"][0]["imagePolicy"] = "no such field"
    with pytest.raises(jsonschema.ValidationError, match="imagePolicy"):
        jsonschema.validate(service, schema)


def test_the_arguments_of_the_container_are_those_of_the_command():
    known = {parameter.name for parameter in get_params_from_function(serve).values()}
    assert {"store", "endpoint", "host", "port", "target"} <= known


def test_a_cluster_cannot_read_a_folder_of_this_host(shelf, tmp_path):
    version = publish(shelf, tmp_path, 1, runtimes=("onnxruntime",))
    with pytest.raises(StoreError, match=r"a cluster cannot read this folder.*registry cp"):
        lay_out(shelf, version, tmp_path / "out", "kserve")


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_a_model_archive_answers_through_its_handler(shelf, tmp_path):
    version = publish_torchscript(shelf, tmp_path / "draft")
    archive = lay_out(shelf, version, tmp_path / "out", "torchserve")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path / "unpacked")
    manifest = json.loads((tmp_path / "unpacked/MAR-INF/MANIFEST.json").read_text())["model"]
    assert (manifest["modelName"], manifest["modelVersion"]) == ("ranker", "1")
    spec = importlib.util.spec_from_file_location("h", tmp_path / "unpacked" / manifest["handler"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    handler = module.Handler()
    handler.initialize(SimpleNamespace(system_properties={"model_dir": tmp_path / "unpacked"}))
    (answer,) = handler.handle([{"body": b'{"x": [[1.0, 2.0]]}'}], None)
    assert json.loads(answer) == {"y": [[2.0, 4.0]]}


def publish_torchscript(catalog: Catalog, folder: Path) -> Version:
    draft = write_draft(folder, 1, runtimes=("onnxruntime",))
    part = folder / "builds/torchscript"
    part.mkdir()
    torch.jit.trace(lambda x: x * 2, torch.ones(1, 2)).save(str(part / "model.pt"))
    signature = DENSE_PART.model_validate(
        {
            "inputs": [{"name": "x", "dtype": "float32", "shape": ["n", 2]}],
            "outputs": [{"name": "y", "dtype": "float32", "shape": ["n", 2]}],
        }
    )
    dense = Artifact(
        part="dense",
        format=Format.TORCHSCRIPT,
        folder="builds/torchscript",
        signature=signature,
        maker="tests",
    )
    build = with_part(draft.builds[0], artifact=dense).model_copy(update={"target": "torchscript"})
    bare = {"tables": (), "lookups": (), "signature": signature, "builds": (build,)}
    return catalog.publish(draft.model_copy(update=bare), folder)


def test_plain_files_say_what_they_take(shelf, tmp_path):
    version = publish(shelf, tmp_path, 1)
    about = json.loads(lay_out(shelf, version, tmp_path / "out", "plain").read_text())
    assert (about["model"], about["version"], about["format"]) == ("ranker", 1, "onnx")
    assert [tensor["name"] for tensor in about["signature"]["inputs"]] == [
        "dense",
        "emb__items__0",
    ]
    assert (tmp_path / "out/ranker/1/model.onnx").is_file()
    assert not (tmp_path / "out/ranker/1/model.xml").exists()


def test_the_command_exports(ads_catalog, registry_command):
    code, out, _ = registry_command("export", "ads@1", "--layout", "plain", "--out", "x")
    assert (code, out) == (0, "ads@1 is laid out for plain: x/ads/1/about.json\n")
    code, _, err = registry_command("export", "ads", "--layout", "triton", "--out", "x")
    assert (code, "There is plain, ovms, kserve, torchserve" in err) == (StoreError.exit_code, True)
    code, _, err = registry_command(
        "export", "ads", "--layout", "plain", "--out", "x", "--target", "gpu"
    )
    assert (code, "no build for 'gpu'. It has cpu" in err) == (StoreError.exit_code, True)


def test_every_layout_is_tested():
    assert {layout.name for layout in LAYOUTS} == {"plain", "ovms", "kserve", "torchserve"}
