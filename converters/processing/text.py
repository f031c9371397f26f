"""The words that an estimator's columns of text were fitted on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Words = dict[int, tuple[str, ...]]


def words_of(estimator: "BaseEstimator", columns: Sequence[int]) -> Words:
    """Find the columns that are text, with the words that encoders know of each, in order.

    Args:
        columns: Of the whole data: those that the estimator takes, in its order.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import FeatureUnion, Pipeline

    if isinstance(estimator, ColumnTransformer):
        # Names, masks and slices of columns are resolved there.
        places = estimator._transformer_to_input_indices
        taken = [
            (one, [columns[place] for place in places[name]])
            for name, one, _ in estimator.transformers_
            if not isinstance(one, str)
        ]
        return _joined([words_of(*each) for each in taken])
    if isinstance(estimator, FeatureUnion):
        return _joined([words_of(one, columns) for _, one in estimator.transformer_list])
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps:
            if found := words_of(step, columns) if hasattr(step, "get_params") else {}:
                return found
            if not isinstance(step, SimpleImputer):
                return {}
    categories = getattr(estimator, "categories_", ())
    if len(categories) != len(columns):
        return {}
    known = {
        column: tuple(one for one in kinds.tolist() if isinstance(one, str))
        for column, kinds in zip(columns, categories, strict=True)
        if kinds.dtype.kind in "OUT"
    }
    return {column: words for column, words in known.items() if words}


def _joined(found: Sequence[Mapping[int, tuple[str, ...]]]) -> Words:
    """Put the words of each column together, those of an earlier encoder first."""
    joined: Words = {}
    for one in found:
        for column, words in one.items():
            joined[column] = tuple(dict.fromkeys((*joined.get(column, ()), *words)))
    return joined


def no_word(words: Sequence[str]) -> str:
    """Return a text that is none of the words: it stands for all that an encoder does not know."""
    text = "?"
    while text in words:
        text += "?"
    return text
