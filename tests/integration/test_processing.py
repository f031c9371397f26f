"""scikit-learn before a model and after it: the job of the documents, from a run to a server."""

import json
import shutil
from pathlib import Path

import numpy as np
import orjson
import pandas as pd
import pytest
import skops.io
import torch
from safetensors.torch import save_file
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from pipeline.cli import call
from pipeline.record import RunRecord
from registry.catalog import Catalog
from registry.store import open_store
from tests.doc_blocks import blocks_of
from tests.integration.test_run_job import ROOT, pipeline
from tests.modules.visits import CITIES, build
from tests.servers import as_json, running

ROWS = 2 * CITIES
SHOWN = next(
    text for text in blocks_of(ROOT / "docs" / "sources.md", "yaml") if "\npreprocess:" in text
)
JOB = f"""\
schema: 1
model: visits
{SHOWN}samples: {{file: samples.npz, labels: visited, rows: 512}}
targets:
  - {{name: ov, runtime: openvino}}
parity:
  conversion: {{atol: 1.0e-5, rtol: 1.0e-4, because: two small layers in f32}}
  metrics: [{{name: auc, output: probability, max_drop: 0.001, because: nothing may be lost}}]
push: {{store: store}}
"""


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, ROWS).clip(0, 100).astype(np.float32),
            "income": rng.lognormal(3, 1, ROWS).clip(0, 500).astype(np.float32),
            "device": rng.choice(["desktop", "phone", "tablet"], ROWS),
            "city": [f"city {number % CITIES:04}" for number in range(ROWS)],
        }
    )
    frame.loc[::17, "age"] = np.nan
    return frame


def original(features: np.ndarray) -> np.ndarray:
    torch.manual_seed(2)
    model = build()
    with torch.no_grad():
        model.body[2].weight *= 4
        numbers = torch.tensor(features[:, :5], dtype=torch.float32)
        scores = model(numbers, torch.tensor(features[:, 5], dtype=torch.int64))
    save_file(model.state_dict(), "visits.safetensors")
    return scores.numpy()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with a job that has run."""
    place = tmp_path_factory.mktemp("visits")
    shutil.copy(ROOT / "tests" / "modules" / "visits.py", place)
    (place / "job.yaml").write_text(JOB)
    frame, rng = people(), np.random.default_rng(1)
    unknown = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    features = ColumnTransformer(
        [
            ("n", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "income"]),
            ("d", OneHotEncoder(handle_unknown="ignore"), ["device"]),
            ("c", unknown, ["city"]),
        ]
    ).fit(frame)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        scores = original(features.transform(frame))
        visited = (rng.uniform(size=ROWS) < 1 / (1 + np.exp(-scores))).astype(np.int64)
        calibration = IsotonicRegression(out_of_bounds="clip").fit(scores, visited)
        skops.io.dump(features, "features.skops")
        skops.io.dump(calibration, "calibration.skops")
    codes = {name: frame[name].astype("category").cat.codes for name in ("device", "city")}
    arrays = {name: frame[name].to_numpy() for name in ("age", "income")}
    np.savez(place / "samples.npz", **arrays, **codes, visited=visited)
    done = pipeline(place, "run", "job.yaml")
    assert done.returncode == 0, done.stderr
    return place


def test_it_is_published_with_its_parts_and_its_words(folder, capsys):
    version = Catalog(open_store(str(folder / "store"))).resolve("visits@1")
    (built,) = version.builds
    assert [(part.name, part.runtime) for part in built.parts] == [
        ("preprocess", "onnxruntime"),
        ("dense", "openvino"),
        ("postprocess", "onnxruntime"),
    ]
    assert [one.name for one in version.handed] == ["features", "town"]
    assert [(one.ids, one.table) for one in version.lookups] == [("town", "city")]
    assert [one.name for one in version.signature.outputs] == ["probability"]
    (parity, _) = built.parity
    assert parity.refused_alike
    written = next(folder.glob(".pipeline/runs/visits/*/run.json"))
    record = RunRecord.model_validate_json(written.read_bytes())
    (validation,) = record.validations
    assert [one.part for one in validation.by_part] == ["preprocess", "dense", "postprocess"]
    assert all(one.worst.worst <= 1 for one in validation.by_part)
    page = next(folder.glob(".pipeline/runs/visits/*/report/index.html")).read_text()
    assert "Before the model" in page
    assert "After the model" in page
    store = ("--store", str(folder / "store"))
    assert call(["registry", "show", "visits@1", *store]) == 0
    said = capsys.readouterr().out
    assert "in words/city.json; others are 1200" in said
    assert call(["registry", "diff", "visits@1", "visits@1", *store]) == 0


def test_a_server_answers_as_scikit_learn_and_the_model_do(folder, tmp_path):
    frame = people().iloc[[0, 1, 17, 600]].reset_index(drop=True)
    features = skops.io.load(folder / "features.skops", trusted=["numpy.dtype"])
    calibration = skops.io.load(folder / "calibration.skops")
    frame.loc[0, "device"] = "television"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        right = calibration.predict(original(features.transform(frame)))
    words = {
        name: json.loads(
            next((folder / ".pipeline").rglob(f"words/{name}.json")).read_text(encoding="utf-8")
        )
        for name in ("device", "city")
    }
    arrays = {
        "age": frame["age"].fillna(np.float32(np.nanmean(people()["age"]))).to_numpy(),
        "income": frame["income"].to_numpy(),
        **{name: np.array([words[name].get(one, 3) for one in frame[name]]) for name in words},
    }
    beyond = {**arrays, "city": np.full(4, CITIES)}
    path = "/v2/models/visits/infer"
    with running(folder / "store", tmp_path, reference="visits@1") as server:
        status, _, body = server.request("POST", path, as_json(arrays))
        refused, _, why = server.request("POST", path, as_json(beyond))
    assert status == 200, body
    np.testing.assert_allclose(orjson.loads(body)["outputs"][0]["data"], right, atol=1e-5)
    assert refused == 400
    assert b"-1" in why
