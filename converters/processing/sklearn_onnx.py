"""An estimator as ONNX, by skl2onnx."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from converters.processing.columns import features_of
from converters.processing.contents import contents_of
from converters.processing.isotonic import teach_isotonic
from converters.quiet import quiet
from registry.errors import ConversionError
from registry.require import require

if TYPE_CHECKING:
    import onnx
    from sklearn.base import BaseEstimator

#: What a column holds, as skl2onnx is told it.
Kind = Literal["float", "double", "integer", "text"]

#: Read by every runtime that the platform has toolchains for.
OPSETS = {"": 18, "ai.onnx.ml": 3}
IR_VERSION = 9

#: Operators of ai.onnx.ml that skl2onnx does without where it is asked to: such an estimator can be
#: placed on any runtime.
_AVOIDED = {"Scaler", "Normalizer", "LinearClassifier", "LinearRegressor"}

#: The one input of an estimator that takes a matrix.
MATRIX = "columns"


def takes_names(estimator: "BaseEstimator") -> bool:
    """Say whether it picks columns by their names, so that each is an input of its own."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    first = estimator
    while isinstance(first, Pipeline):
        first = first.steps[0][1]
    return isinstance(first, ColumnTransformer) and bool(features_of(estimator))


def to_onnx(
    file: Path, estimator: "BaseEstimator", kinds: Sequence[Kind]
) -> "tuple[onnx.ModelProto, str]":
    """Convert an estimator, and say what did it.

    Its inputs are its columns, [rows, 1] each, where it takes names; else one matrix.

    Args:
        kinds: Of its columns, in order; of a matrix all are the same.

    Raises:
        ConversionError: skl2onnx does not convert it; with the estimator's name.
    """
    skl2onnx = require("skl2onnx", extra="sklearn")
    _check_calibration(file, estimator)
    made_by = f"skl2onnx {skl2onnx.__version__}"
    options = {id(estimator): {"zipmap": False}} if hasattr(estimator, "classes_") else None
    try:
        with quiet("skl2onnx", "skl2onnx"):
            teach_isotonic()
            model: onnx.ModelProto = skl2onnx.to_onnx(
                estimator,
                initial_types=_types(estimator, kinds),
                options=options,
                target_opset=OPSETS,
                black_op=_AVOIDED,
            )
    except Exception as error:
        raise ConversionError(
            f"{file}: {made_by} does not convert {_culprit(error, estimator)}: {_said(error)}. "
            "Take another estimator in its place, or convert it to ONNX by hand and name the .onnx "
            "file"
        ) from error
    model.ir_version = min(model.ir_version, IR_VERSION)
    return model, made_by


def _check_calibration(file: Path, estimator: "BaseEstimator") -> None:
    """Refuse what skl2onnx converts, and gets wrong: steps where there have to be lines."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.isotonic import IsotonicRegression

    for one in contents_of(estimator):
        if isinstance(one, CalibratedClassifierCV) and any(
            isinstance(part, IsotonicRegression) for part in contents_of(one)
        ):
            raise ConversionError(
                f"{file}: skl2onnx rounds what the IsotonicRegression of a CalibratedClassifierCV "
                "answers. Take method='sigmoid', or an IsotonicRegression by itself as "
                "`postprocess`"
            )


def _types(estimator: "BaseEstimator", kinds: Sequence[Kind]) -> list[tuple[str, object]]:
    from skl2onnx.common import data_types

    of = {
        "float": data_types.FloatTensorType,
        "double": data_types.DoubleTensorType,
        "integer": data_types.Int64TensorType,
        "text": data_types.StringTensorType,
    }
    if takes_names(estimator):
        names = features_of(estimator)
        return [(name, of[kind]([None, 1])) for name, kind in zip(names, kinds, strict=True)]
    return [(MATRIX, of[kinds[0]]([None, len(kinds)]))]


def _culprit(error: Exception, estimator: "BaseEstimator") -> str:
    """Name the estimator that skl2onnx stopped at; the whole one where it does not say."""
    named = re.search(r"<class '([\w.]+)'>", str(error))
    found = named.group(1).rpartition(".")[2] if named else ""
    whole = type(estimator).__name__
    return whole if found in ("", whole) else f"{found} (in {whole})"


def _said(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:200].rstrip(".")
