import json

import numpy as np

from targets.serving.request import Request
from targets.serving.response import write_response

ANSWERS = {"score": np.array([0.1, 0.25], np.float32), "best": np.array([[3], [2**60]])}


def write(form, answers=ANSWERS, **outputs):
    return write_response(Request("r1", {}, outputs), answers, form, "ranker", 7)


def test_lists_come_in_json(form):
    response = write(form, score=False, best=False)
    assert response.header_length is None
    assert json.loads(response.body) == {
        "model_name": "ranker",
        "model_version": "7",
        "id": "r1",
        "outputs": [
            {"name": "score", "datatype": "FP32", "shape": [2], "data": [0.1, 0.25]},
            {"name": "best", "datatype": "INT64", "shape": [2, 1], "data": [3, 2**60]},
        ],
    }


def test_bytes_come_behind_the_json_in_order(form):
    response = write(form, best=True, score=True)
    told = json.loads(response.body[: response.header_length])
    assert [output["parameters"]["binary_data_size"] for output in told["outputs"]] == [16, 8]
    raw = response.body[response.header_length :]
    assert raw == ANSWERS["best"].tobytes() + ANSWERS["score"].tobytes()


def test_an_output_that_is_not_wanted_is_not_sent(form):
    told = json.loads(write(form, best=False).body)
    assert [output["name"] for output in told["outputs"]] == ["best"]


def test_views_with_strides_are_written_in_row_major_order(form):
    answers = {"score": np.arange(4, dtype=np.float32)[::2]}
    assert json.loads(write(form, answers, score=False).body)["outputs"][0]["data"] == [0, 2]
    assert write(form, answers, score=True).body.endswith(np.array([0, 2], np.float32).tobytes())


def test_json_has_null_for_what_is_no_number(form):
    answers = {"score": np.array([np.nan, np.inf], np.float32)}
    assert json.loads(write(form, answers, score=False).body)["outputs"][0]["data"] == [None, None]
