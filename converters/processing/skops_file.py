"""Open a fitted estimator without running code."""

from pathlib import Path
from typing import TYPE_CHECKING

from converters.processing.trees import check_trees
from converters.quiet import quiet
from registry.errors import SourceError
from registry.require import require

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

#: Types beyond those that skops itself vouches for. They are made of numbers; what numbers of a
#: tree could do is checked once they are read.
TRUSTED = frozenset(
    {
        "numpy.dtype",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.tree._tree.Tree",
    }
)

#: What files begin with that run code when they are read, whatever they are called: pickles, and
#: joblib's compressed ones.
_PICKLES = (b"\x80", b"\x78", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x5d\x00", b"\x04\x22\x4d\x18")

#: What files of skops are: zip archives.
_ZIP = b"PK\x03\x04"


def open_estimator(file: Path) -> "BaseEstimator":
    """Read an estimator that skops wrote; it has only types that are known to be data.

    Raises:
        SourceError: It is a pickle, holds other types, or is no fitted estimator.
        MissingExtraError: scikit-learn or skops is not installed.
    """
    _check_kind(file)
    require("sklearn", extra="sklearn")
    io = require("skops.io", extra="sklearn")
    try:
        unknown = set(io.get_untrusted_types(file=file)) - TRUSTED
        if not unknown:
            with quiet("scikit-learn"):
                estimator = io.load(file, trusted=sorted(TRUSTED))
    except Exception as error:
        raise SourceError(
            f"{file}: skops cannot read it: {str(error).strip() or type(error).__name__}. Write it "
            "again, with the scikit-learn that fitted it: skops.io.dump(estimator, path)"
        ) from error
    if unknown:
        raise SourceError(
            f"{file}: holds {', '.join(sorted(unknown))}, which could be more than data and is not "
            "read. Take it out of the estimator, or convert it where it was fitted, by "
            "skl2onnx.to_onnx, and name the .onnx file"
        )
    _check_fitted(file, estimator)
    check_trees(file, estimator)
    return estimator


def _check_kind(file: Path) -> None:
    try:
        with file.open("rb") as stream:
            start = stream.read(8)
    except OSError as error:
        raise SourceError(f"{file}: cannot be read: {error.strerror}") from error
    if start.startswith(_PICKLES):
        raise SourceError(
            f"{file}: is a pickle, which can run code when it is read. Write the estimator by "
            "skops.io.dump(estimator, 'name.skops') where it was fitted, and name that file"
        )
    if not start.startswith(_ZIP):
        raise SourceError(
            f"{file}: is no file of skops. Write it by skops.io.dump(estimator, 'name.skops')"
        )


def _check_fitted(file: Path, estimator: "BaseEstimator") -> None:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(estimator, BaseEstimator):
        raise SourceError(
            f"{file}: holds a {type(estimator).__name__}, and no estimator of scikit-learn"
        )
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise SourceError(
            f"{file}: {type(estimator).__name__} is not fitted: fit it before it is written"
        ) from error
