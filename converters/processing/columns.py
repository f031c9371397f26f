"""The columns that an estimator takes, from tensors by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.processing.text import Words, no_word
from registry.errors import SourceError
from registry.require import require

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator


def features_of(estimator: "BaseEstimator") -> tuple[str, ...]:
    """Return the names of the columns that it was fitted on, where it saw names."""
    return tuple(map(str, getattr(estimator, "feature_names_in_", ())))


def count_of(estimator: "BaseEstimator") -> int:
    """Return how many columns it was fitted on; one that does not say takes one."""
    return int(getattr(estimator, "n_features_in_", 1))


def side_by_side(file: Path, arrays: Sequence[np.ndarray], count: int) -> list[np.ndarray]:
    """Return the columns of tensors of one or two axes.

    Raises:
        SourceError: They are not as many as the estimator takes.
    """
    columns = [
        column
        for array in arrays
        for column in array.reshape(len(array), -1 if array.size else array[:1].size or 1).T
    ]
    check_count(file, len(columns), count)
    return columns


def check_count(file: Path, given: int, count: int) -> None:
    """Refuse fewer columns, or more, than an estimator was fitted on."""
    if given != count:
        raise SourceError(
            f"{file}: was fitted on {count} columns, and what it `takes` has {given}. Name its "
            "inputs in `takes`, in the order of its columns"
        )


def table_of(
    estimator: "BaseEstimator", columns: Sequence[np.ndarray], words: Words
) -> "pd.DataFrame | np.ndarray":
    """Put columns together as the estimator was fitted on them; numbers of words become these."""
    read = [
        _worded(column, words[place]) if place in words else column
        for place, column in enumerate(columns)
    ]
    if names := features_of(estimator):
        pandas = require("pandas", extra="convert")
        frame: pd.DataFrame = pandas.DataFrame(dict(zip(names, read, strict=True)))
        return frame
    return np.stack(read, axis=1)


def _worded(numbers: np.ndarray, words: Sequence[str]) -> np.ndarray:
    """Return the words of numbers; one that is none of them stands for a word nobody knows."""
    known: Mapping[int, str] = dict(enumerate(words))
    other = no_word(words)
    return np.array([known.get(int(one), other) for one in numbers], object)
