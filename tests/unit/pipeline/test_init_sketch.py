"""A sketched job loads, whatever the model looks like, and says what was guessed."""

import pytest

from converters.sources.source import Inspection
from pipeline.job.load import load_job
from pipeline.job.sketch import Given, sketch, slug
from registry.signature import Axis, Ids, Input

SEEN = Inspection(
    inputs=(
        (
            Input(name="user", dtype="int64", shape=("batch",), ids=Ids(cardinality=5, padding=0)),
            "",
        ),
        (Input(name="dense", dtype="float32", shape=("batch", 13)), "the width is a guess"),
        (Input(name="bags", dtype="int64", shape=("n",), ids=Ids(cardinality=7)), ""),
        (Input(name="starts", dtype="int64", shape=("batch",), offsets="bags"), ""),
        (Input(name="share", dtype="float32", shape=("batch",), range=(0, 1)), ""),
    ),
    outputs=("score", "no"),
    axes={"batch": Axis(), "n": Axis(min=0, max=99)},
    tables=(("user.weight", 5, 8), ("items.weight", 2_000_000, 64)),
)


@pytest.fixture
def load(tmp_path):
    (tmp_path / "model.onnx").touch()
    (tmp_path / "s.npz").touch()

    def load(seen: Inspection, samples: str | None = None):
        given = Given("job.yaml", "clicks", {"kind": "onnx", "file": "model.onnx"}, samples)
        path = tmp_path / "job.yaml"
        path.write_text(sketch(given, seen), encoding="utf-8")
        return load_job(path), path.read_text(encoding="utf-8")

    return load


def test_a_sketch_says_again_what_was_seen(load):
    job, text = load(SEEN, "s.npz")
    assert [one.model_dump(exclude={"shape"}) for one in job.inputs] == [
        one.model_dump(exclude={"shape"}) for one, _ in SEEN.inputs
    ]
    assert job.axes == SEEN.axes
    assert job.outputs == SEEN.outputs
    assert job.samples.file == "s.npz"
    assert [target.runtime for target in job.targets] == ["openvino", "onnxruntime"]
    assert job.push.store == ".pipeline/store"
    assert "# the width is a guess" in text


def test_a_sketch_lists_the_tables_and_what_becomes_of_them(load):
    _, text = load(SEEN)
    assert "#   user.weight: 5 x 8, 160 B, small: cut if bags read it\n" in text
    assert "#   items.weight: 2,000,000 x 64, 488.3 MiB, cut\n" in text


def test_a_sketch_begins_with_the_line_that_editors_read(load):
    _, text = load(SEEN)
    assert text.startswith("# yaml-language-server: $schema=job.schema.json\n")


def seen(*inputs: Input, axes=None, outputs=("y",), tables=()) -> Inspection:
    return Inspection(tuple((one, "") for one in inputs), outputs, axes or {}, tables)


def test_integers_of_an_unknown_range_are_guessed_and_marked(load):
    whole = Input(name="x", dtype="int64", shape=("batch",))
    job, text = load(seen(whole, axes={"batch": Axis()}, tables=(("t", 9, 2), ("u", 4, 2))))
    assert job.inputs[0].ids == Ids(cardinality=4)
    assert "# guessed: ids of the smallest table" in text
    job, text = load(seen(whole, axes={"batch": Axis()}))
    assert job.inputs[0].range == (0, 1)
    assert "# guessed: 0 or 1" in text


@pytest.mark.parametrize(
    ("first", "axes", "batches"),
    [
        ("batch", {"batch": Axis(min=1, max=1024)}, (1, 3, 17)),
        ("batch", {"batch": Axis(min=2, max=8)}, (3,)),
        ("batch", {"batch": Axis(min=100, max=200)}, (100,)),
        (8, {}, (8,)),
    ],
)
def test_batches_fit_the_model(first, axes, batches, load):
    job, _ = load(seen(Input(name="x", dtype="float32", shape=(first, 2)), axes=axes))
    assert job.parity.batches == batches


@pytest.mark.parametrize(
    "name", ["a: b", "- x", "no", "#", "'", '"', "1", "é", "{a}", "a\nb", "null", "::x", "誤差"]
)
def test_odd_names_are_quoted(name, load):
    given = Input(name=name, dtype="float32", shape=("batch",))
    job, _ = load(
        seen(given, axes={"batch": Axis()}, outputs=(name,), tables=((f"{name}.weight", 3, 2),))
    )
    assert job.inputs[0].name == name
    assert job.outputs == (name,)


def test_axes_get_names_that_a_job_allows(load):
    axes = {"Batch Size": Axis(), "past + 1": Axis(max=7)}
    job, _ = load(seen(Input(name="x", dtype="float32", shape=tuple(axes)), axes=axes))
    assert job.inputs[0].shape == ("batch-size", "past-1")
    assert job.axes == {"batch-size": Axis(), "past-1": Axis(max=7)}


@pytest.mark.parametrize("file", ["s.csv", "s.npz"])
def test_a_sketch_says_what_the_samples_hold(file, tmp_path):
    (tmp_path / file).touch()
    (tmp_path / "model.onnx").touch()
    source = {"kind": "onnx", "file": "model.onnx"}
    text = sketch(Given("job.yaml", "m", source, file, ("user", "a b", "clicked\n")), SEEN)
    assert "# The file holds: user, a b, clicked\n" in text
    assert '  labels: "clicked\\n"\n' in text
    assert ('  # columns: {user: [user, "a b"]}\n' in text) == (file == "s.csv")
    (tmp_path / "job.yaml").write_text(text, encoding="utf-8")
    assert load_job(tmp_path / "job.yaml").samples.file == file


@pytest.mark.parametrize("label", ["y", "label", "is_click", "Target"])
def test_columns_that_are_numbered_make_an_input_and_no_label(label, tmp_path):
    (tmp_path / "s.csv").touch()
    (tmp_path / "model.onnx").touch()
    source = {"kind": "onnx", "file": "model.onnx"}
    held = ("user", "dense_1", label, "dense_0", "other_0", "other_1", "dense_2")
    given = Given("job.yaml", "m", source, "s.csv", held)
    dense = Input(name="dense", dtype="float32", shape=("batch", 3))
    (tmp_path / "job.yaml").write_text(sketch(given, seen(dense)), encoding="utf-8")
    samples = load_job(tmp_path / "job.yaml").samples
    assert samples.columns == {"dense": ("dense_0", "dense_1", "dense_2")}
    assert samples.labels == label


def test_sizes_that_are_none_become_axes(load):
    job, _ = load(seen(Input(name="x", dtype="float32", shape=(-1, 3, 0))))
    assert job.inputs[0].shape == ("batch", 3, "x_2")
    assert job.axes == {"batch": Axis(), "x_2": Axis()}


@pytest.mark.parametrize(
    "value",
    ["a:b", "a:", "../x y", ".5", "no", 1.5, None, True, [1, ["x", {}]], {"a b": {"c": [1e-9]}}],
)
def test_arguments_are_read_back_as_they_were(value, tmp_path):
    source = {"kind": "torch", "factory": "m:f", "args": {"value": value}}
    tensor = Input(name="x", dtype="float32", shape=("batch",))
    (tmp_path / "job.yaml").write_text(
        sketch(Given("job.yaml", "m", source), seen(tensor)), encoding="utf-8"
    )
    assert load_job(tmp_path / "job.yaml").source.args == {"value": value}


@pytest.mark.parametrize(
    ("text", "name"), [("My Model_v2", "my-model_v2"), ("../..", "model"), ("é", "model")]
)
def test_any_text_makes_a_name(text, name):
    assert slug(text) == name
