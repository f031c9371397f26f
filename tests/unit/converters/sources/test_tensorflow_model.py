"""TensorFlow models are cut on their graph; `tests/integration/test_toolchains.py` runs this."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from converters.brief import Arrays, Brief, RefusalError
from converters.sources.tensorflow_model import SOURCE, TensorflowOptions
from converters.split.policy import SplitOptions
from registry.composition import Artifact, Split
from registry.errors import SourceError, SplitError
from registry.progress import silent
from registry.signature import Axis, DType, Ids, Input
from targets import onnxruntime
from targets.target import ThreadPlan

#: Of Keras itself, when it saves a model.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation")

CITIES, ITEMS = 1200, 1500
INPUTS = (
    Input(name="city", dtype=DType.INT64, shape=("batch",), ids=Ids(cardinality=CITIES + 1)),
    Input(name="history", dtype=DType.INT64, shape=("batch", 5), ids=Ids(cardinality=ITEMS)),
    Input(name="item", dtype=DType.INT64, shape=("batch",), ids=Ids(cardinality=ITEMS)),
    Input(name="x", dtype=DType.FLOAT32, shape=("batch", 3)),
)


def wide_and_deep():
    """A city by its name, a table for two lookups, and a small one."""
    import keras  # noqa: PLC0415
    from keras import layers  # noqa: PLC0415

    keras.utils.set_random_seed(0)
    city = layers.Input((), dtype="string", name="city")
    item = layers.Input((), dtype="int64", name="item")
    history = layers.Input((5,), dtype="int64", name="history")
    x = layers.Input((3,), dtype="float32", name="x")
    names = [f"city {number}" for number in range(CITIES)]
    known = layers.StringLookup(vocabulary=names, num_oov_indices=1)(city)
    items = layers.Embedding(ITEMS, 4, name="items", embeddings_initializer="normal")
    small = layers.Embedding(ITEMS, 2, name="tiny")
    cities = layers.Embedding(CITIES + 1, 8, name="cities", embeddings_initializer="normal")
    joined = layers.Concatenate()(
        [
            cities(known),
            items(item),
            layers.GlobalAveragePooling1D()(items(history)),
            small(item),
            x,
        ]
    )
    deep = layers.Dense(16, activation="relu")(joined)
    click = layers.Dense(1, name="click")(layers.Concatenate()([deep, x]))
    return keras.Model({"city": city, "item": item, "history": history, "x": x}, {"click": click})


@pytest.fixture(scope="module")
def model():
    return wide_and_deep()


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory) -> Path:
    """A folder with the model in both forms."""
    folder = tmp_path_factory.mktemp("models")
    model.save(folder / "model.keras")
    model.export(folder / "saved", verbose=False)
    return folder


@pytest.fixture(params=[{"keras": "model.keras"}, {"saved_model": "saved"}], ids=["keras", "saved"])
def brief(request, folder) -> Brief:
    return Brief(TensorflowOptions(**request.param), folder, INPUTS, {"batch": Axis()})


def requests(rows: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(rows)
    return {
        "city": random.integers(0, CITIES + 1, rows),
        "history": random.integers(0, ITEMS, (rows, 5)),
        "item": random.integers(0, ITEMS, rows),
        "x": random.normal(size=(rows, 3)).astype(np.float32),
    }


def asked(model, words: np.ndarray, arrays: Arrays) -> np.ndarray:
    """Ask the model as it was made: for cities by name."""
    import tensorflow as tf  # noqa: PLC0415

    feeds = {name: tf.constant(array) for name, array in arrays.items()}
    return model(feeds | {"city": tf.constant(words)})["click"].numpy()


def composed(split: Split, out: Path, arrays: Arrays) -> np.ndarray:
    """Answer with ids, rows and the dense part: each program and lookup once it can be."""
    values, programs, lookups = dict(arrays), list(split.id_programs), list(split.lookups)
    while programs or lookups:
        for program in [one for one in programs if values.keys() >= names_of(one)]:
            values |= run(out / program.folder, values)
            programs.remove(program)
        ready = [one for one in lookups if one.ids in values]
        assert ready or not lookups
        for lookup in ready:
            rows = load_file(out / "origins" / f"{lookup.table}.safetensors")["rows"]
            values[lookup.output] = rows[values[lookup.ids]]
            lookups.remove(lookup)
    return run(out / split.dense.folder, values)["click"]


def names_of(part: Artifact) -> set[str]:
    return {one.name for one in part.signature.inputs}


def run(folder: Path, values: Arrays) -> dict[str, np.ndarray]:
    runner = onnxruntime.load(folder, "f32", ThreadPlan(threads=1))
    return runner.run({one.name: values[one.name] for one in runner.signature.inputs})


def test_the_parts_compose_to_the_model(brief, model, tmp_path):
    split = SOURCE.split(brief, SplitOptions(), tmp_path, silent)
    assert {table.name: (table.rows, table.dim) for table in split.tables} == {
        "cities": (CITIES + 1, 8),
        "items": (ITEMS, 4),
        "tiny": (ITEMS, 2),
    }
    assert split.dense.signature.inputs[0].shape[0] == "batch"
    assert sum(lookup.table == "items" for lookup in split.lookups) == 2
    assert (split.kept, [one.name for one in split.signature.inputs]) == ((), list(requests(1)))
    for rows in (1, 7):
        arrays = requests(rows)
        words = np.array([f"city {number - 1}" for number in arrays["city"]])
        wanted = asked(model, words, arrays)
        np.testing.assert_allclose(composed(split, tmp_path, arrays), wanted, 1e-5, 1e-5)
        np.testing.assert_allclose(SOURCE.answers(brief)(arrays)["click"], wanted, 1e-6, 1e-6)


def test_the_ids_of_words_are_written_beside_the_tables(brief, tmp_path):
    split = SOURCE.split(brief, SplitOptions(), tmp_path, silent)
    (words,) = split.vocabularies
    assert (words.input, words.words, words.unknown) == ("city", CITIES, 0)
    written = json.loads((tmp_path / words.file).read_text())
    assert written == {f"city {number}": number + 1 for number in range(CITIES)}


def test_an_id_that_tensorflow_refuses_is_a_refusal(brief):
    arrays = requests(3)
    arrays["item"][1] = ITEMS
    with pytest.raises(RefusalError, match=rf"indices\[1\] = {ITEMS} is not in \[0, {ITEMS}\)"):
        SOURCE.answers(brief)(arrays)


def test_what_the_job_keeps_stays_in_the_dense_part(brief, model, tmp_path):
    options = SplitOptions(tables=("cities",), keep=())
    split = SOURCE.split(brief, options, tmp_path, silent)
    assert [table.name for table in split.tables] == ["cities"]
    assert {kept.table: kept.why for kept in split.kept} == {
        "items": "split.tables does not name it",
        "tiny": "split.tables does not name it",
    }
    arrays = requests(4)
    np.testing.assert_allclose(
        composed(split, tmp_path, arrays), SOURCE.answers(brief)(arrays)["click"], 1e-5, 1e-5
    )


def test_a_pattern_of_no_table_is_refused_with_those_that_there_are(brief, tmp_path):
    with pytest.raises(SplitError, match=r"'citties' matches no table; did you mean 'cities'\?"):
        SOURCE.split(brief, SplitOptions(tables=("citties",)), tmp_path, silent)


def test_every_difference_between_the_job_and_the_model_is_told(folder):
    wrong = (*INPUTS[1:3], INPUTS[3].model_copy(update={"shape": ("batch", 4)}))
    brief = Brief(TensorflowOptions(saved_model="saved"), folder, wrong, {"batch": Axis()})
    with pytest.raises(SourceError) as caught:
        SOURCE.answers(brief)
    assert "the job lacks the input city: int64" in str(caught.value)
    assert "the job has x: float32[batch, 4], the model x: float32[?, 3]" in str(caught.value)


def saved(folder: Path, function, *wanted) -> Brief:
    """Save a function of tensors as a SavedModel."""
    import tensorflow as tf  # noqa: PLC0415

    holder = tf.Module()
    holder.table = tf.Variable(np.random.default_rng(0).normal(size=(1200, 4)).astype("f"))
    holder.call = tf.function(lambda *given: function(holder.table, *given), wanted)
    tf.saved_model.save(holder, str(folder / "saved"), signatures=holder.call)
    return Brief(TensorflowOptions(saved_model="saved"), folder, (), {"batch": Axis()})


def of_inputs(brief: Brief, *inputs: Input) -> Brief:
    return Brief(brief.options, brief.folder, inputs, brief.axes)


IDS = Input(name="ids", dtype=DType.INT64, shape=("batch",), ids=Ids(cardinality=1200))


def test_a_table_that_is_also_used_densely_is_cut_and_a_copy_stays(tmp_path):
    import tensorflow as tf  # noqa: PLC0415

    def tied(table, ids):
        return {"click": tf.matmul(tf.gather(table, ids), table, transpose_b=True)}

    brief = of_inputs(saved(tmp_path, tied, tf.TensorSpec((None,), tf.int64, "ids")), IDS)
    split = SOURCE.split(brief, SplitOptions(), tmp_path / "out", silent)
    assert split.ids is None
    assert [lookup.ids for lookup in split.lookups] == ["ids"]
    (kept,) = split.kept
    assert "a copy stays" in kept.why
    arrays = {"ids": np.arange(5)}
    wanted = SOURCE.answers(brief)(arrays)["click"]
    np.testing.assert_allclose(composed(split, tmp_path / "out", arrays), wanted, 1e-5, 1e-5)
    whole = SOURCE.split(brief, SplitOptions(tied="keep"), tmp_path / "whole", silent)
    assert (whole.tables, whole.lookups) == ((), ())
    assert whole.kept[0].why.startswith("also used densely by MatMul (")
    np.testing.assert_allclose(composed(whole, tmp_path / "whole", arrays), wanted, 1e-5, 1e-5)
    with pytest.raises(SplitError, match=r"also used densely by MatMul.*\(split.tied: error\)"):
        SOURCE.split(brief, SplitOptions(tied="error"), tmp_path / "error", silent)


USERS, PAST = 1100, 3


def followers():
    """Rows of a table of integers are items, and users that others follow; the output is tied."""
    import keras  # noqa: PLC0415
    from keras import layers, ops  # noqa: PLC0415

    class Rows(layers.Layer):
        def __init__(self, highest: int, width: int, seed: int) -> None:
            super().__init__()
            rows = np.random.default_rng(seed).integers(0, highest, (USERS, width))
            self.rows = self.add_weight(
                shape=rows.shape,
                dtype="int64",
                initializer=lambda shape, dtype: ops.convert_to_tensor(rows, dtype),
                trainable=False,
                name="rows",
            )

        def call(self, users):
            return ops.take(self.rows, users, axis=0)

    class Tied(layers.Layer):
        def __init__(self, items) -> None:
            super().__init__()
            self.items = items

        def call(self, vectors):
            return ops.matmul(vectors, ops.transpose(self.items.embeddings))

    keras.utils.set_random_seed(1)
    user = layers.Input((), dtype="int64", name="user")
    items = layers.Embedding(ITEMS, 4, name="items", embeddings_initializer="normal")
    friends = Rows(USERS, 2, 1)(user)
    theirs = Rows(ITEMS, PAST, 2)(friends)
    mean = ops.mean(items(theirs), axis=(1, 2))
    own = ops.mean(items(ops.mod(Rows(ITEMS, PAST, 3)(user) * 7, ITEMS)), axis=1)
    return keras.Model({"user": user}, {"click": Tied(items)(mean + own)})


def test_rows_of_integers_are_ids_of_the_next_lookup_however_often(tmp_path):
    followers().export(tmp_path / "saved", verbose=False)
    user = Input(name="user", dtype=DType.INT64, shape=("batch",), ids=Ids(cardinality=USERS))
    options = TensorflowOptions(saved_model="saved")
    brief = Brief(options, tmp_path, (user,), {"batch": Axis()})
    split = SOURCE.split(brief, SplitOptions(), tmp_path / "out", silent)
    dtypes = sorted(table.dtype for table in split.tables)
    assert dtypes == [DType.FLOAT32, DType.INT64, DType.INT64, DType.INT64]
    assert len({(one.table, one.ids) for one in split.lookups}) == 5
    assert {one.folder for one in split.hops} <= {"ids_2", "ids_3"}
    assert split.hops
    (kept,) = split.kept
    assert (kept.table, "a copy stays" in kept.why) == ("items", True)
    arrays = {"user": np.random.default_rng(2).integers(0, USERS, 9)}
    wanted = SOURCE.answers(brief)(arrays)["click"]
    assert np.ptp(wanted) > 1e-3
    np.testing.assert_allclose(composed(split, tmp_path / "out", arrays), wanted, 1e-5, 1e-6)


def test_rows_of_integers_that_the_dense_part_takes_have_their_range(tmp_path):
    import tensorflow as tf  # noqa: PLC0415

    holder = tf.Module()
    rows = np.random.default_rng(0).integers(-5, 2**40, (1200, 4))
    holder.table = tf.Variable(rows)
    taken = [tf.TensorSpec((None,), tf.int64, "ids")]
    holder.call = tf.function(lambda ids: {"click": tf.gather(holder.table, ids) * 2}, taken)
    tf.saved_model.save(holder, str(tmp_path / "saved"), signatures=holder.call)
    options = TensorflowOptions(saved_model="saved")
    brief = Brief(options, tmp_path, (IDS,), {"batch": Axis()})
    split = SOURCE.split(brief, SplitOptions(), tmp_path / "out", silent)
    (lookup,) = split.lookups
    assert split.dense.ranges == {lookup.output: (int(rows.min()), int(rows.max()))}
    arrays = {"ids": np.arange(0, 1200, 90)}
    wanted = SOURCE.answers(brief)(arrays)["click"]
    np.testing.assert_array_equal(composed(split, tmp_path / "out", arrays), wanted)


def test_ids_that_the_model_computes_from_weights_are_not_cut(tmp_path):
    import tensorflow as tf  # noqa: PLC0415

    def nearest(table, ids):
        best = tf.argmax(tf.matmul(tf.gather(table, ids), table, transpose_b=True), 1)
        return {"click": tf.gather(table, best)}

    brief = of_inputs(saved(tmp_path, nearest, tf.TensorSpec((None,), tf.int64, "ids")), IDS)
    split = SOURCE.split(brief, SplitOptions(), tmp_path / "out", silent)
    assert len(split.lookups) == 1
    assert [kept.why for kept in split.kept] == ["its ids depend on weights"]
    arrays = {"ids": np.arange(5)}
    wanted = SOURCE.answers(brief)(arrays)["click"]
    np.testing.assert_allclose(composed(split, tmp_path / "out", arrays), wanted, 1e-5, 1e-5)


def test_text_that_becomes_no_ids_is_refused(tmp_path):
    import tensorflow as tf  # noqa: PLC0415

    def lengths(table, text):
        bytes_, signs = tf.strings.length(text), tf.strings.length(text, "UTF8_CHAR")
        return {"click": tf.gather(table, bytes_) + tf.gather(table, signs)}

    brief = saved(tmp_path, lengths, tf.TensorSpec((None,), tf.string, "text"))
    text = Input(name="text", dtype=DType.INT64, shape=("batch",))
    with pytest.raises(SourceError, match="input 'text' is text, and does not become ids at one"):
        SOURCE.answers(of_inputs(brief, text))


def test_hashed_words_are_in_no_vocabulary(tmp_path):
    import tensorflow as tf  # noqa: PLC0415

    def hashed(table, text):
        return {"click": tf.gather(table, tf.strings.to_hash_bucket_fast(text, 1200))}

    brief = saved(tmp_path, hashed, tf.TensorSpec((None,), tf.string, "text"))
    text = IDS.model_copy(update={"name": "text"})
    split = SOURCE.split(of_inputs(brief, text), SplitOptions(), tmp_path / "out", silent)
    (words,) = split.vocabularies
    assert (words.words, words.unknown) == (0, None)


def test_the_state_of_an_optimizer_that_nobody_knows_any_more_is_left_out(tmp_path):
    import tensorflow as tf  # noqa: PLC0415

    holder, taken = tf.Module(), tf.TensorSpec((None, 2), tf.float32, "x")
    holder.weight = tf.Variable([[2.0], [3.0]])
    holder.optimizer = tf.compat.v1.train.AdamOptimizer(0.0)
    holder.optimizer.apply_gradients([(tf.ones((2, 1)), holder.weight)])
    holder.call = tf.function(lambda x: {"y": tf.matmul(x, holder.weight)}, [taken])
    tf.saved_model.save(holder, str(tmp_path / "saved"), signatures=holder.call)
    x = Input(name="x", dtype=DType.FLOAT32, shape=("batch", 2))
    brief = Brief(TensorflowOptions(saved_model="saved"), tmp_path, (x,), {"batch": Axis()})
    answer = SOURCE.answers(brief)({"x": np.ones((3, 2), np.float32)})
    assert answer["y"].tolist() == [[5.0]] * 3


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"saved_model": "saved", "signature": "nightly"}, "has no signature 'nightly'; it has "),
        ({"saved_model": "nowhere"}, "nowhere: TensorFlow cannot load it"),
        ({"keras": "saved"}, "saved: Keras cannot load it as it is"),
    ],
)
def test_what_cannot_be_opened_is_named(folder, options, fault):
    with pytest.raises(SourceError, match=fault):
        SOURCE.answers(Brief(TensorflowOptions(**options), folder, INPUTS, {"batch": Axis()}))


def test_a_layer_that_holds_code_is_not_loaded(tmp_path):
    import keras  # noqa: PLC0415

    x = keras.Input((3,), name="x")
    keras.Model(x, keras.layers.Lambda(lambda one: one * 2)(x)).save(tmp_path / "code.keras")
    with pytest.raises(SourceError, match=r"(?s)Keras cannot load it as it is.*model\.export"):
        SOURCE.answers(Brief(TensorflowOptions(keras="code.keras"), tmp_path, (), {}))
