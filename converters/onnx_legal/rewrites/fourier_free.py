"""Sines and cosines of a transform whose length only the input of the moment tells."""

from __future__ import annotations

import numpy as np

from converters.onnx_legal.body import Body, floats, ints


def free_matrices(
    body: Body, length: str, *, inverse: bool, half: bool
) -> tuple[tuple[str], tuple[str]]:
    """Add what computes cosines and sines, a row for each value that goes in.

    Args:
        length: How many values go in, a vector of one int64.
        half: Leave out the columns that mirror others, forwards.
    """
    import onnx

    columns = body("Add", body("Div", length, ints(2)), ints(1))
    wanted = columns if half and not inverse else length
    turns = _turns(body, length, wanted)
    size = body.cast(length, onnx.TensorProto.FLOAT)
    share = body("Div", body.cast(turns, onnx.TensorProto.FLOAT), size)
    angle = body("Mul", share, floats(2 * np.pi if inverse else -2 * np.pi))
    found = body("Cos", angle), body("Sin", angle)
    cosine, sine = (body("Div", one, size) for one in found) if inverse else found
    return (cosine,), (sine,)


def _turns(body: Body, length: str, columns: str) -> str:
    """Add what counts steps of a turn, at most half a turn either way."""
    import onnx

    rows = body.unsqueeze(body.count(length), 1)
    steps = body("Mod", body("Mul", rows, body.unsqueeze(body.count(columns), 0)), length)
    beyond = body("Greater", body("Add", steps, steps), length)
    whole = body("Mul", body.cast(beyond, onnx.TensorProto.INT64), length)
    return body("Sub", steps, whole)
