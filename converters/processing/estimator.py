"""A fitted estimator of scikit-learn before a model, or after it."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, RefusalError
from converters.processing.columns import (
    check_count,
    count_of,
    features_of,
    side_by_side,
    table_of,
)
from converters.processing.options import Method
from converters.processing.sklearn_onnx import Kind, takes_names, to_onnx
from converters.processing.text import Words, words_of
from converters.processing.wiring import Given, Taken, kind_of, width_of, wired
from registry.errors import SourceError
from registry.signature import DType, Tensor

if TYPE_CHECKING:
    import onnx
    from sklearn.base import BaseEstimator


@dataclass(frozen=True)
class Piece:
    """Columns of what a method answers, under a name.

    Attributes:
        columns: None for all.
        tensor: What it has to be; None takes it as it is.
    """

    name: str
    method: Method
    columns: range | None = None
    tensor: Tensor | None = None


@dataclass(frozen=True)
class Estimator:
    """An estimator and what is wanted of it; a `Processor`."""

    file: Path
    fitted: "BaseEstimator"
    takes: tuple[str, ...]
    pieces: tuple[Piece, ...]

    @property
    def gives(self) -> tuple[str, ...]:
        """Names of the tensors that it makes."""
        return tuple(piece.name for piece in self.pieces)

    @cached_property
    def texts(self) -> Words:
        """The words of its columns that are text, by their place."""
        return words_of(self.fitted, range(count_of(self.fitted)))

    @cached_property
    def words(self) -> Mapping[str, tuple[str, ...]]:
        """The words of tensors that are text: of an estimator that has any, each is one column."""
        if not self.texts or len(self.takes) != count_of(self.fitted):
            return {}
        return {self.takes[place]: words for place, words in self.texts.items()}

    def answer(self, arrays: Arrays) -> dict[str, np.ndarray]:
        """Ask scikit-learn.

        Raises:
            RefusalError: It refuses the values, such as a category that it does not know.
            SourceError: They are not as many columns as it was fitted on.
        """
        taken = [arrays[name] for name in self.takes]
        answers = self._asked(side_by_side(self.file, taken, count_of(self.fitted)))
        return {piece.name: _cut(self.file, answers[piece.method], piece) for piece in self.pieces}

    def _asked(self, columns: Sequence[np.ndarray]) -> dict[Method, np.ndarray]:
        """Return what each method answers, [rows] or [rows, columns]."""
        table = table_of(self.fitted, columns, self.texts)
        answers: dict[Method, np.ndarray] = {}
        for method in dict.fromkeys(piece.method for piece in self.pieces):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of unknown categories: those are asked for
                    found = getattr(self.fitted, method)(table)
            except ValueError as error:
                raise RefusalError(f"{self.file.name}: {error}") from error
            answers[method] = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
        self._check_width(answers)
        return answers

    def _check_width(self, answers: Mapping[Method, np.ndarray]) -> None:
        """Refuse columns that there are not, and columns of a transformer that nobody takes."""
        for piece in self.pieces:
            width, taken = _width(answers[piece.method]), piece.columns or range(1)
            left_over = piece.tensor and piece is self.pieces[-1] and taken.stop < width
            if taken.stop > width or left_over:
                raise SourceError(
                    f"{self.file}: {piece.method} answers {width} columns, and `gives` has "
                    f"{taken.stop} up to '{piece.name}': its shapes say how many each takes"
                )

    def as_onnx(self, taken: Sequence[Tensor], part: str) -> "tuple[onnx.ModelProto, str]":
        """Convert it by skl2onnx.

        Raises:
            ConversionError: skl2onnx does not convert it.
            SourceError: It does not take such tensors.
        """
        self._check(taken)
        kinds = self._kinds(taken)
        own, made_by = to_onnx(self.file, self.fitted, kinds)
        names = features_of(self.fitted) if takes_names(self.fitted) else ()
        wires = Taken(tuple(taken), names, kinds, self.texts)
        outputs = [value.name for value in own.graph.output]
        probe = self._probe(kinds)
        rows = taken[0].shape[0]
        given = [
            Given(
                tensor=piece.tensor or _tensor(piece, probe[piece.method], rows),
                answer=outputs[1 if piece.method == "predict_proba" else 0],
                width=_width(probe[piece.method]),
                columns=piece.columns or range(_width(probe[piece.method])),
            )
            for piece in self.pieces
        ]
        return wired(own, wires, given, part), made_by

    def _probe(self, kinds: Sequence[Kind]) -> dict[Method, np.ndarray]:
        """Return what it answers for one row, to see how wide that is; some take no zeros."""
        for value in (0, 1):
            try:
                answers = self._asked([_sample(kind, value) for kind in kinds])
            except RefusalError as error:
                refused = error
                continue
            for piece in self.pieces:
                _cut(self.file, answers[piece.method], piece)
            return answers
        raise SourceError(f"{self.file}: refuses every row: {refused}") from refused

    def _kinds(self, taken: Sequence[Tensor]) -> tuple[Kind, ...]:
        """Say what the columns hold; all of a matrix hold the same."""
        each = [kind_of(tensor) for tensor in taken for _ in range(width_of(tensor))]
        kinds: list[Kind] = [
            "text" if place in self.texts else kind for place, kind in enumerate(each)
        ]
        if takes_names(self.fitted):
            return tuple(kinds)
        if "text" in kinds:
            if set(kinds) != {"text"}:
                raise SourceError(
                    f"{self.file}: takes text and numbers in one matrix, which ONNX has no form "
                    "of. Fit a ColumnTransformer on a DataFrame, with its columns by name"
                )
            return tuple(kinds)
        widest: Kind = next(kind for kind in ("double", "float", "integer") if kind in kinds)
        return (widest,) * len(kinds)

    def _check(self, taken: Sequence[Tensor]) -> None:
        for tensor in taken:
            if len(tensor.shape) not in (1, 2) or not all(
                isinstance(dim, int) for dim in tensor.shape[1:]
            ):
                raise SourceError(
                    f"{self.file}: takes columns, and {tensor} is none: its shape has to be [rows] "
                    "or [rows, NUMBER]"
                )
        count = count_of(self.fitted)
        check_count(self.file, sum(map(width_of, taken)), count)
        if self.texts and len(taken) != count:
            raise SourceError(
                f"{self.file}: some of its columns are text: give each column an input of its own"
            )
        for place in self.texts:
            if taken[place].dtype not in (DType.INT64, DType.INT32):
                known = len(self.texts[place])
                raise SourceError(
                    f"{self.file}: '{taken[place].name}' is text there. Declare the input as int64 "
                    f"with range: [0, {known}]: it takes the numbers of {known} words, as "
                    f"words/{taken[place].name}.json of the version has them, and {known} for any "
                    "other word"
                )


def _sample(kind: Kind, value: int) -> np.ndarray:
    return np.full(1, value, {"float": np.float32, "double": np.float64}.get(kind, np.int64))


def _width(answer: np.ndarray) -> int:
    return int(answer.shape[1]) if answer.ndim == 2 else 1


def _tensor(piece: Piece, answer: np.ndarray, rows: int | str) -> Tensor:
    """Describe an answer as it comes."""
    dtype = DType.INT64 if answer.dtype.kind in "iu" else DType.FLOAT32
    single = answer.ndim == 1 or piece.columns is not None
    return Tensor(
        name=piece.name, dtype=dtype, shape=(rows,) if single else (rows, answer.shape[1])
    )


def _cut(file: Path, answer: np.ndarray, piece: Piece) -> np.ndarray:
    """Take a piece's columns out of an answer, as the tensor that it has to be."""
    if answer.dtype.kind not in "biuf":
        raise SourceError(
            f"{file}: {piece.method} answers text ({str(answer.ravel()[0])[:20]!r}), and a model "
            "answers numbers. Take predict_proba, or fit it on numbers of the classes"
        )
    whole = answer.reshape(len(answer), -1) if answer.size else answer.reshape(0, _width(answer))
    columns = piece.columns or range(whole.shape[1])
    tensor = piece.tensor or _tensor(piece, answer, "rows")
    cut = whole[:, columns.start : columns.stop]
    shaped = cut[:, 0] if len(tensor.shape) == 1 else cut
    if tensor.dtype.value.startswith(("int", "uint")) and not np.array_equal(
        shaped, np.floor(shaped)
    ):
        raise RefusalError(f"{file.name}: '{piece.name}' would be no whole number")
    return np.ascontiguousarray(shaped.astype(tensor.dtype.value))
