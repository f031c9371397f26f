"""Answer several requests with one inference."""

from collections.abc import Callable

import numpy as np

from targets.target import Arrays

Answers = dict[str, np.ndarray]
Predict = Callable[[Arrays], Answers]


def answer_all(
    predict: Predict, requests: list[dict[str, np.ndarray]]
) -> list[Answers | Exception]:
    """Answer several requests with one inference.

    Where it fails, halve until the one that is at fault fails alone: its neighbours
    are answered as if it had not been there.
    """
    try:
        if len(requests) == 1:
            return [predict(requests[0])]
        return list(_split(predict(_join(requests)), requests))
    except Exception as error:  # noqa: BLE001 - a runtime may raise anything; it becomes the request's answer
        if len(requests) == 1:
            return [error]
    half = len(requests) // 2
    return answer_all(predict, requests[:half]) + answer_all(predict, requests[half:])


def _join(requests: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([request[name] for request in requests]) for name in requests[0]}


def _split(answers: Answers, requests: list[dict[str, np.ndarray]]) -> list[Answers]:
    sizes = [len(next(iter(request.values()))) for request in requests]
    ends = np.cumsum(sizes)
    if any(len(array) != ends[-1] for array in answers.values()):
        raise RuntimeError("the model does not answer one row for each row of its inputs")
    return [
        {name: array[end - size : end] for name, array in answers.items()}
        for end, size in zip(ends, sizes, strict=True)
    ]
