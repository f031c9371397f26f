"""Answer any number of rows, in batches that the model takes."""

import numpy as np

from registry.errors import InputError
from targets.parity.rows import batches_of, row_count
from targets.predictor import Predictor
from targets.target import Arrays

#: Rows of a batch, where the model takes as many.
BATCH = 1024


def answer_rows(predictor: Predictor, inputs: Arrays) -> dict[str, np.ndarray]:
    """Answer all rows of the inputs, in their order.

    Args:
        inputs: Sound in all but the number of rows.

    Raises:
        InputError: The rows cannot be cut into batches, or their answers not be joined.
    """
    rows = row_count(predictor.inputs, inputs)
    cut = list(batches_of(predictor.inputs, predictor.axes, inputs, BATCH))
    if len(cut) <= 1:
        return predictor.predict(inputs)
    pieces = []
    done = 0
    for start, stop, batch in cut:
        answers = predictor.predict(batch)
        done += stop - start
        if any(array.shape[:1] != (stop - start,) for array in answers.values()):
            raise InputError(f"the model answers batches, not rows: send less than {rows} rows")
        pieces.append(answers)
    if done < rows:
        raise InputError(
            f"{rows} rows cannot be cut into batches: {rows - done} are left at the end"
        )
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
