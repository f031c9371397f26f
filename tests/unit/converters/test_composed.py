"""ONNX files around an ONNX model: cut apart they answer as they do one after the other."""

import numpy as np
import onnx
import onnxruntime
import pytest
import skl2onnx
from onnx import TensorProto, helper, numpy_helper
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from converters.brief import Brief, RefusalError
from converters.composed import answers_of, split_model
from converters.processing.options import Answer, Postprocess, Preprocess, Processing
from converters.sources.onnx_file import OnnxOptions
from converters.split.policy import SplitOptions
from registry.composition import Split
from registry.errors import SourceError
from registry.progress import silent
from registry.signature import Axis, Input

X = np.random.default_rng(0).normal(3, 2, (60, 3)).astype(np.float32)
RAW = Input(name="raw", dtype="float32", shape=("batch", 3))
EXTRA = Input(name="extra", dtype="float32", shape=("batch", 3))
CHANCES = Answer(name="probabilities")
SCALED = Input(name="variable", dtype="float32", shape=("batch", 3))


def to_onnx(estimator, name, **options):
    return skl2onnx.to_onnx(
        estimator,
        initial_types=[(name, FloatTensorType([None, 3]))],
        options={id(estimator): options} if options else None,
        target_opset=18,
    )


@pytest.fixture
def folder(tmp_path):
    """Write a scaler, a model of two inputs and two outputs, and a classifier of one of these."""
    filled = np.where(X > 5, np.nan, X)
    scaler = make_pipeline(SimpleImputer(), StandardScaler()).fit(filled)
    onnx.save(to_onnx(scaler, "raw"), tmp_path / "before.onnx")
    classifier = LogisticRegression().fit(X, X[:, 0] > 3)
    onnx.save(to_onnx(classifier, "score", zipmap=False), tmp_path / "after.onnx")
    weight = np.random.default_rng(1).normal(size=(3, 3)).astype(np.float32)
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["variable", "w"], ["product"]),
            helper.make_node("Add", ["product", "extra"], ["score"]),
            helper.make_node("Abs", ["extra"], ["size"]),
        ],
        "model",
        [
            value("variable", TensorProto.FLOAT, ["n", 3]),
            value("extra", TensorProto.FLOAT, ["n", 3]),
        ],
        [value("score", TensorProto.FLOAT, ["n", 3]), value("size", TensorProto.FLOAT, ["n", 3])],
        [numpy_helper.from_array(weight, "w")],
    )
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), tmp_path / "model.onnx")
    return tmp_path


def around(gives=(SCALED,), after=(CHANCES,)):
    return Processing(
        Preprocess(file="before.onnx", gives=gives), Postprocess(file="after.onnx", gives=after)
    )


def brief(folder):
    return Brief(OnnxOptions(file="model.onnx"), folder, (RAW, EXTRA), {"batch": Axis(max=64)})


def run(folder, feeds):
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    taken = {one.name: feeds[one.name] for one in session.get_inputs()}
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, taken), strict=True))


def test_parts_answer_as_the_files_do_one_after_the_other(folder):
    out = folder / "out"
    split_model(brief(folder), around(), SplitOptions(), out, silent)
    found = Split.model_validate_json((out / "split.json").read_text())
    assert str(found.signature) == (
        "(raw: float32[batch, 3], extra: float32[batch, 3])"
        " -> (size: float32[batch, 3], probabilities: float32[batch, 2])"
    )
    assert found.preprocess
    assert found.postprocess
    assert str(found.preprocess.signature).startswith("(raw: float32[batch, 3]) -> (variable: ")
    assert [one.name for one in found.dense.signature.inputs] == ["variable", "extra"]
    assert found.preprocess.maker.startswith("skl2onnx")
    values = {"raw": np.where(X[:9] > 4, np.float32("nan"), X[:9]), "extra": X[9:18]}
    right = answers_of(brief(folder), around())(values)
    assert right.keys() == {"size", "probabilities"}
    for part in ("preprocess", "dense", "postprocess"):
        values |= run(out / part, values)
    for name, array in right.items():
        np.testing.assert_allclose(values[name], array, atol=1e-5)


def test_a_score_that_is_no_number_is_refused(folder):
    ask = answers_of(brief(folder), around())
    with pytest.raises(RefusalError, match="which no estimator takes"):
        ask({"raw": X[:2], "extra": np.full((2, 3), np.inf, np.float32)})


@pytest.mark.parametrize(
    ("processing", "said"),
    [
        (around(gives=(EXTRA,)), "has no output 'extra'; it has variable"),
        (
            around(gives=(SCALED.model_copy(update={"dtype": "int64"}),)),
            "'variable' is float32 in the model, int64 in the job",
        ),
        (around(after=(Answer(name="chance"),)), "has no output 'chance'; it has label, prob"),
        (around(after=(Answer(name="label", column=1),)), "which has no method and no column"),
        (
            Processing(
                postprocess=Postprocess(file="before.onnx", gives=(Answer(name="variable"),))
            ),
            "takes raw, and there is no output of that name; there are score, size",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_what_there_is(folder, processing, said):
    given = brief(folder)
    if processing.preprocess is None:
        given = Brief(given.options, folder, (SCALED, EXTRA), given.axes)
    with pytest.raises(SourceError, match=said):
        split_model(given, processing, SplitOptions(), folder / "out", silent)


def test_a_file_that_takes_text_is_refused_by_name(folder):
    encoder = OneHotEncoder().fit(np.array([["a"], ["b"]], object))
    text = skl2onnx.to_onnx(
        encoder, initial_types=[("raw", StringTensorType([None, 1]))], target_opset=18
    )
    onnx.save(text, folder / "before.onnx")
    with pytest.raises(SourceError, match=r"'raw' of the ONNX model holds string.*\(.skops\)"):
        split_model(brief(folder), around(), SplitOptions(), folder / "out", silent)
