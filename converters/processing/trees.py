"""Trees whose numbers lead nowhere: scikit-learn follows them without looking."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.processing.contents import contents_of
from registry.errors import SourceError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.tree._tree import Tree

#: Where a node of a tree has no child.
_LEAF = -1


def check_trees(file: Path, estimator: "BaseEstimator") -> None:
    """Hold that each tree's nodes lead to nodes behind them, and ask for features that there are.

    Raises:
        SourceError: One does not.
    """
    for tree in trees_in(estimator):
        if not _is_sound(tree):
            raise SourceError(
                f"{file}: a decision tree in it leads out of itself: the file is damaged, or was "
                "made to be. Write it again where the estimator was fitted"
            )


def trees_in(root: object) -> "Iterator[Tree]":
    """Give every tree that an estimator holds, however deep."""
    from sklearn.tree._tree import Tree

    return (one for one in contents_of(root) if isinstance(one, Tree))


def _is_sound(tree: "Tree") -> bool:
    count = tree.node_count
    places = np.arange(count)
    left, right = tree.children_left, tree.children_right
    leaf = left == _LEAF
    if len(left) != count or not np.array_equal(leaf, right == _LEAF):
        return False
    inner = ~leaf
    ahead = all(((child > places) & (child < count))[inner].all() for child in (left, right))
    known = (tree.feature >= 0) & (tree.feature < tree.n_features)
    return bool(ahead and known[inner].all())
