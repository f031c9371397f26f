"""Estimators answer in ONNX as they do in scikit-learn."""

import numpy as np
import onnx
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

from converters import onnx_to_openvino
from converters.brief import RefusalError
from converters.converter import ConvertOptions
from converters.onnx_to_torch import import_model
from converters.processing.opening import open_after, open_before
from converters.processing.options import Answer, Postprocess, Preprocess
from registry.errors import ConversionError, SourceError
from registry.signature import Input
from tests.processing import check_alike, dump, run, tensors_of

ROWS = 120
CITIES = ["Oslo", "Paris", "Rome", "?"]


def numbers(columns: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(2, 3, (ROWS, columns)).astype(np.float32)


def before(folder, estimator, *gives, takes=("x",), inputs=("x",)):
    options = Preprocess(file=dump(folder, estimator).name, takes=takes, gives=gives)
    given = tuple(Input(name=name, dtype="float32", shape=("batch",)) for name in inputs)
    return open_before(options, folder, given)


def after(folder, estimator, *gives, takes=("score",)):
    return open_after(
        Postprocess(file=dump(folder, estimator).name, takes=takes, gives=gives), folder
    )


def vector(name: str, columns: int) -> Input:
    return Input(name=name, dtype="float32", shape=("batch", columns))


@pytest.mark.parametrize(
    ("estimator", "columns"),
    [
        (StandardScaler(), 3),
        (MinMaxScaler(), 3),
        (RobustScaler(), 3),
        (Normalizer(), 3),
        (PowerTransformer(), 3),
        (PolynomialFeatures(2, include_bias=False), 9),
        (make_pipeline(SimpleImputer(), StandardScaler(), PCA(2)), 2),
    ],
    ids=lambda one: type(one).__name__,
)
def test_numbers_are_transformed_alike(estimator, columns, tmp_path):
    x = numbers()
    processor = before(tmp_path, estimator.fit(x), vector("features", columns))
    check_alike(processor, x=x)
    check_alike(processor, x=numbers(seed=5) * 3)


def table() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 9, ROWS).astype(np.float32),
            "city": rng.choice(CITIES, ROWS),
            "floor": rng.integers(-1, 5, ROWS),
        }
    )
    frame.loc[::7, "age"] = np.nan
    return frame


def transformer(*, unknown: str = "ignore") -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("city", OneHotEncoder(handle_unknown=unknown), ["city"]),
            ("age", make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
            (
                "floor",
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                ["floor"],
            ),
        ]
    ).fit(table())


def mixed(folder, estimator):
    town = Input(name="storey", dtype="int64", shape=("batch",))
    names = ("age", "city", "floor")
    return before(folder, estimator, vector("features", 5), town, takes=(), inputs=names)


def rows(**changed: object) -> dict[str, np.ndarray]:
    given = {
        "age": np.array([20, np.nan, 50, 61], np.float32),
        "city": np.array([0, 1, 2, 3], np.int64),
        "floor": np.array([-1, 0, 3, 4], np.int64),
    }
    return {**given, **changed}


def test_columns_of_text_take_numbers_of_words_and_unknown_ones_are_like_no_word(tmp_path):
    processor = mixed(tmp_path, transformer())
    assert processor.takes == ("age", "city", "floor")
    assert processor.words == {"city": tuple(sorted(CITIES))}
    check_alike(processor, **rows())
    unknown = rows(city=np.array([4, -1, 2**40, 0]), floor=np.array([99, -1, 0, 1]))
    check_alike(processor, **unknown)
    given = run(processor, **unknown)
    assert not given["features"][:3, :4].any()
    assert given["storey"].tolist() == [-1, 0, 1, 2]


def test_what_scikit_learn_refuses_is_refused(tmp_path):
    processor = mixed(tmp_path, transformer(unknown="error"))
    check_alike(processor, **rows())
    with pytest.raises(RefusalError, match="unknown categories"):
        processor.answer(rows(city=np.array([4, 0, 0, 0])))


def test_text_alone_may_be_a_matrix(tmp_path):
    frame = table()[["city"]]
    frame["other"] = frame["city"].str.upper()
    processor = before(
        tmp_path,
        OrdinalEncoder().fit(frame.to_numpy(object)),
        Input(name="ids", dtype="int64", shape=("batch", 2)),
        takes=("one", "two"),
        inputs=("one", "two"),
    )
    check_alike(processor, one=np.array([0, 3, 1]), two=np.array([2, 2, 0]))


@pytest.mark.parametrize(
    ("estimator", "gives"),
    [
        (LogisticRegression(), Answer(name="p", method="predict_proba", column=1)),
        (CalibratedClassifierCV(LogisticRegression(), cv=2), Answer(name="p", method="predict")),
        (RandomForestClassifier(5, random_state=0), Answer(name="p", method="predict_proba")),
        (GradientBoostingRegressor(n_estimators=9, random_state=0), Answer(name="p")),
        (LinearRegression(), Answer(name="p")),
    ],
    ids=lambda one: type(one).__name__,
)
def test_scores_become_what_a_predictor_makes_of_them(estimator, gives, tmp_path):
    x = numbers(1)
    labels = (x[:, 0] + numbers(1, seed=1)[:, 0] > 4).astype(np.int64)
    processor = after(tmp_path, estimator.fit(x, labels), gives)
    check_alike(processor, score=x[:, 0])
    check_alike(processor, score=numbers(1, seed=8)[:, 0] * 2)


@pytest.mark.parametrize("beyond", ["clip", "nan"])
@pytest.mark.parametrize("count", [ROWS, 2, 1])
def test_isotonic_regression_goes_along_its_lines(beyond, count, tmp_path):
    x = np.sort(numbers(1)[:, 0])[:: ROWS // count][:count]
    y = np.arange(count) + np.where(np.arange(count) % 3, 0, 2.5)
    fitted = IsotonicRegression(out_of_bounds=beyond).fit(x, y)
    processor = after(tmp_path, fitted, Answer(name="p"))
    middle = (x[:-1] + x[1:]) / 2
    outside = np.array([x[0] - 1, x[-1] + 1], np.float32)
    check_alike(processor, score=np.concatenate([x, middle, outside]).astype(np.float32))


def test_isotonic_regression_that_raises_has_no_form(tmp_path):
    fitted = IsotonicRegression(out_of_bounds="raise").fit([0.0, 1.0], [0.0, 1.0])
    processor = after(tmp_path, fitted, Answer(name="p"))
    with pytest.raises(ConversionError, match=r"IsotonicRegression: out_of_bounds='raise'.*'clip'"):
        run(processor, score=np.zeros(2, np.float32))


def test_calibration_that_skl2onnx_rounds_is_refused(tmp_path):
    x = numbers(1)
    estimator = CalibratedClassifierCV(LogisticRegression(), method="isotonic", cv=2)
    fitted = estimator.fit(x, x[:, 0] > 1)
    processor = after(tmp_path, fitted, Answer(name="p", method="predict_proba"))
    with pytest.raises(ConversionError, match="rounds what the IsotonicRegression of a Calibrated"):
        run(processor, score=x[:, 0])


def test_scaling_needs_no_operator_that_only_one_runtime_has(tmp_path):
    processor = before(tmp_path, StandardScaler().fit(numbers()), vector("features", 3))
    model, made_by = processor.as_onnx(tensors_of(x=numbers()), "part")
    assert made_by.startswith("skl2onnx ")
    assert {node.domain for node in model.graph.node} <= {"", "ai.onnx"}
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, tmp_path / "model.onnx")
    onnx_to_openvino.CONVERTER.convert(tmp_path, tmp_path / "ir", ConvertOptions())


def test_runtimes_refuse_operators_that_they_lack_by_name(tmp_path):
    model, _ = mixed(tmp_path, transformer()).as_onnx(tensors_of(**rows()), "part")
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(ConversionError, match=r"ai\.onnx\.ml\.(LabelEncoder|OneHotEncoder)"):
        onnx_to_openvino.CONVERTER.convert(tmp_path, tmp_path / "ir", ConvertOptions())
    with pytest.raises(ConversionError, match=r"ai\.onnx\.ml::\w+-\d+ .* is not supported"):
        import_model(tmp_path / "model.onnx")


@pytest.mark.parametrize(
    ("gives", "x", "said"),
    [
        ((vector("features", 2),), numbers(), "answers 3 columns, and `gives` has 2"),
        ((vector("features", 4),), numbers(), "answers 3 columns, and `gives` has 4"),
        ((vector("features", 3),), numbers(2), "fitted on 3 columns, and what it `takes` has 2"),
    ],
)
def test_columns_that_are_not_as_many_are_counted(gives, x, said, tmp_path):
    processor = before(tmp_path, StandardScaler().fit(numbers()), *gives)
    with pytest.raises(SourceError, match=said):
        run(processor, x=x)
    with pytest.raises(SourceError, match=said):
        processor.answer({"x": x})


def test_text_that_is_declared_as_floats_is_named_with_the_remedy(tmp_path):
    processor = mixed(tmp_path, transformer())
    with pytest.raises(SourceError, match=r"'city' is text there. Declare the input as int64 with"):
        run(processor, **rows(city=np.zeros(4, np.float32)))


def test_what_skl2onnx_does_not_convert_is_named_within_its_pipeline(tmp_path):
    fitted = make_pipeline(StandardScaler(), RBFSampler(n_components=4)).fit(numbers())
    processor = before(tmp_path, fitted, vector("features", 4))
    with pytest.raises(ConversionError, match=r"does not convert RBFSampler \(in Pipeline"):
        run(processor, x=numbers())


@pytest.mark.parametrize(
    ("estimator", "gives", "said"),
    [
        (StandardScaler(), Answer(name="p", method="predict"), "StandardScaler has no predict"),
        (
            LogisticRegression(),
            Answer(name="p", method="predict_proba", column=7),
            "answers 2 columns",
        ),
    ],
)
def test_answers_that_there_are_not_are_named(estimator, gives, said, tmp_path):
    x = numbers(1)
    fitted = estimator.fit(x, np.arange(ROWS) % 2)
    with pytest.raises(SourceError, match=said):
        after(tmp_path, fitted, gives).answer({"score": x[:, 0]})


def test_classes_that_are_text_are_refused(tmp_path):
    fitted = LogisticRegression().fit(numbers(1), np.array(["no", "yes"] * (ROWS // 2)))
    processor = after(tmp_path, fitted, Answer(name="p"))
    with pytest.raises(SourceError, match=r"predict answers text .'(no|yes)'.*Take predict_proba"):
        processor.answer({"score": numbers(1)[:, 0]})
    check_alike(
        after(tmp_path, fitted, Answer(name="p", method="predict_proba")), score=numbers(1)[:, 0]
    )
