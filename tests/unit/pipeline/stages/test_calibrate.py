"""The stage that computes what parts are fed on recorded samples."""

import numpy as np
import pytest

from converters.calibration import Calibration, read_calibration, read_feeds
from converters.split.policy import PartRule
from pipeline.processes.task import Task
from pipeline.stages import calibrate, cut
from registry.composition import Remark
from registry.errors import SourceError
from registry.progress import silent
from registry.remarks import hearing
from targets.parity.cases import Case, write_cases
from tests import bad_nodes, pieces


@pytest.fixture
def model(tmp_path):
    """Lay out a recommender with 40 recorded rows in two cases, and one of its own making."""
    pieces.write_split(tmp_path / "split")
    pieces.write_tables(tmp_path / "tables")
    kinds = ((30, "recorded"), (10, "recorded"), (5, "generated"))
    cases = [Case(f"{rows} rows", kind, pieces.inputs_of(rows, seed=rows)) for rows, kind in kinds]
    pieces.write_reference(tmp_path / "reference", pieces.answered_cases(cases))
    return {name: tmp_path / name for name in ("split", "tables", "reference")}


def run(out, model, samples=256, part="dense", **shown) -> Calibration:
    shown = shown or {"inputs": pieces.INPUTS, "axes": pieces.AXES}
    options = calibrate.Options(part=part, samples=samples, **shown)
    task = Task(
        name="calibrate",
        stage="calibrate",
        inputs=model,
        options=options.model_dump(mode="json"),
        folder=out.parent,
    )
    out.mkdir()
    calibrate.run(task, out, silent)
    return read_calibration(out)


def test_the_dense_part_is_fed_vectors_that_were_looked_up(model, tmp_path):
    """A bag of tags by hand; recorded rows alone, in their order."""
    found = run(tmp_path / "out", model)
    batches = list(read_feeds(tmp_path / "out"))
    assert found.samples == sum(len(batch["numbers"]) for batch in batches) == 40
    assert set(batches[0]) == {"numbers", "emb__items__0", "emb__tags__0"}
    inputs = pieces.inputs_of(30, seed=30)
    items = np.concatenate([batch["emb__items__0"] for batch in batches])[:30]
    np.testing.assert_array_equal(items, pieces.ITEM_ROWS[inputs["item"]])
    third = pieces.TAG_ROWS[inputs["tags"][1:3]].sum(axis=0)
    np.testing.assert_allclose(batches[0]["emb__tags__0"][2], third, rtol=1e-6)
    low, high = found.ranges["numbers"]
    assert -1 <= low < -0.5 < 0.5 < high <= 1


def test_no_more_rows_are_fed_than_are_asked_for(model, tmp_path):
    assert run(tmp_path / "out", model, samples=35).samples == 35


def test_few_samples_and_constants_are_warned_of(model, tmp_path):
    with hearing() as heard:
        run(tmp_path / "few", model, samples=3)
    (told,) = heard
    assert told == Remark(by="calibration", text=told.text)
    assert told.text == "scales of int8 come from 3 samples: ask for 32 or more"
    few = Calibration(samples=9, ranges={"x": (2.0, 2.0), "y": (0.0, 1.0)})
    short, constant = calibrate.doubts(few, 64)
    assert short.startswith("scales of int8 come from 9 samples, which show little")
    assert short.endswith("record 32 or more")
    assert constant == "'x' is 2 in all samples that scales of int8 come from"
    enough = Calibration(samples=40, ranges={"y": (0.0, 1.0)})
    assert list(calibrate.doubts(enough, 256)) == []


def test_without_recorded_samples_it_is_refused(model, tmp_path):
    cases = [Case("made up", "generated", pieces.inputs_of(4))]
    pieces.write_reference(tmp_path / "none", pieces.answered_cases(cases))
    with pytest.raises(SourceError, match="no samples were recorded"):
        run(tmp_path / "out", {**model, "reference": tmp_path / "none"})


@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_what_no_scale_is_found_with_is_refused_by_name(value, model, tmp_path):
    inputs = pieces.inputs_of(4)
    inputs["numbers"][2] = value
    with np.errstate(invalid="ignore"):
        answered = pieces.answered_cases([Case("odd", "recorded", inputs)])
        pieces.write_reference(tmp_path / "odd", answered)
    with pytest.raises(SourceError, match=f"'numbers' holds {value} in the recorded samples"):
        run(tmp_path / "out", {**model, "reference": tmp_path / "odd"})


def test_a_part_is_fed_what_the_part_before_it_answers(tmp_path):
    bad_nodes.lay_out(tmp_path, bad_nodes.network(bad_nodes.PLAIN, {}))
    x = np.random.default_rng(0).uniform(-1, 1, (40, bad_nodes.WIDTH)).astype("f4")
    outputs = {"y": np.zeros((40, 4), "f4")}
    (tmp_path / "recorded").mkdir()
    write_cases([Case("one", "recorded", {"x": x}, outputs)], tmp_path / "recorded")
    shown = {"inputs": bad_nodes.INPUTS, "axes": bad_nodes.AXES}
    rules = (PartRule(name="first", until=("tanh",)), PartRule(name="last"))
    source = {"kind": "onnx", "file": "model.onnx"}
    (tmp_path / "cut").mkdir()
    options = cut.Options(source=source, outputs=("y",), parts=rules, **shown)
    task = Task(
        name="cut",
        stage="cut",
        inputs={"split": tmp_path / "split"},
        options=options.model_dump(mode="json"),
        folder=tmp_path,
    )
    cut.run(task, tmp_path / "cut", silent)
    model = {name: tmp_path / name for name in ("split", "tables", "cut")}
    model["reference"] = tmp_path / "recorded"
    run(tmp_path / "out", model, part="last", **shown)
    (fed,) = [np.concatenate(arrays) for arrays in zip(*_values(tmp_path / "out"), strict=True)]
    np.testing.assert_allclose(fed, np.tanh(x @ bad_nodes._halved(_first())), atol=1e-5)


def _values(folder):
    return [tuple(batch.values()) for batch in read_feeds(folder)]


def _first():
    return bad_nodes.matrix("first", bad_nodes.WIDTH, bad_nodes.WIDTH)
