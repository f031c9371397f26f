"""First inferences of a version, before anybody waits for them."""

from pathlib import Path

import numpy as np

from registry.manifest import Draft
from registry.signature import Dim
from targets.predictor import Predictor
from targets.serving.recorded import read_recorded
from targets.target import Arrays

#: How far a row's answer may move when another row stands beside it: the noise of other kernels.
_RTOL, _ATOL = 1e-2, 1e-3


def some_inputs(folder: Path, draft: Draft) -> dict[str, np.ndarray]:
    """Take the recorded inputs, or zeros of the smallest shapes where there are none."""
    recorded = read_recorded(folder, draft)
    if recorded:
        return recorded.inputs

    def size(dim: Dim) -> int:
        if isinstance(dim, int):
            return dim
        return draft.axes[dim].least if dim in draft.axes else 1

    return {
        tensor.name: np.zeros([size(dim) for dim in tensor.shape], tensor.dtype.value)
        for tensor in draft.signature.inputs
    }


def warm_up(predictor: Predictor, inputs: Arrays, rows: int) -> None:
    """Answer once alone and once as many together as requests will be joined."""
    if rows == 1:
        predictor.predict(inputs)
        return
    for count in (1, rows):
        predictor.predict({name: _cycle(array, count) for name, array in inputs.items()})


def joins_well(predictor: Predictor, inputs: Arrays) -> bool:
    """Try whether rows answer alike alone and beside others.

    A model that normalises over its batch has the right shapes and yet must not get
    requests joined.
    """
    pair = {name: _cycle(array, 2) for name, array in inputs.items()}
    together = predictor.predict(pair)
    for row in (0, 1):
        alone = predictor.predict({name: array[row : row + 1] for name, array in pair.items()})
        for name, array in alone.items():
            beside = together[name][row : row + 1]
            if array.shape != beside.shape or not _close(array, beside):
                return False
    return True


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    return np.allclose(one.astype(float), other.astype(float), _RTOL, _ATOL, equal_nan=True)


def _cycle(array: np.ndarray, rows: int) -> np.ndarray:
    return array[np.arange(rows) % len(array)]
