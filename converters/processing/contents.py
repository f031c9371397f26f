"""All that an estimator is made of."""

from collections.abc import Iterator

import numpy as np


def contents_of(root: object) -> Iterator[object]:
    """Give every object of scikit-learn that an estimator holds, however deep, itself included."""
    waiting, seen = [root], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple | set):
            waiting += one
        elif isinstance(one, np.ndarray) and one.dtype == object:
            waiting += one.ravel().tolist()
        elif type(one).__module__.startswith("sklearn."):
            yield one
            waiting += getattr(one, "__dict__", {}).values()
