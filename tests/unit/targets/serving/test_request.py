import json
import random

import numpy as np
import pytest

from registry.errors import InputError
from targets.serving.request import read_request

ARRAYS = {
    "dense": np.array([[1, 2.5, 3], [4, 5, 6]], np.float32),
    "ids": np.array([[1, 2**40, 3, 0], [4, 5, 6, 7]]),
    "flag": np.array([True, False]),
}
DATATYPES = {"dense": "FP32", "ids": "INT64", "flag": "BOOL"}


def entry(name, array=None, **more):
    array = ARRAYS[name] if array is None else array
    plain = {"name": name, "datatype": DATATYPES[name], "shape": list(array.shape)}
    return plain | {"data": array.tolist()} | more


def message(**entries):
    return {"inputs": [entries.get(name) or entry(name) for name in ARRAYS]}


def read(form, value):
    return read_request(json.dumps(value).encode(), None, form)


def binary(*names, junk=b""):
    entries, raws = [], []
    for name, array in ARRAYS.items():
        if name in names:
            raw = array.tobytes()
            one = entry(name, parameters={"binary_data_size": len(raw)})
            del one["data"]
            raws.append(raw)
            entries.append(one)
        else:
            entries.append(entry(name))
    head = json.dumps({"inputs": entries}).encode()
    return head + b"".join(raws) + junk, str(len(head))


def assert_equal(inputs):
    for name, array in ARRAYS.items():
        assert inputs[name].dtype == array.dtype
        np.testing.assert_array_equal(inputs[name], array)


def test_reads_nested_lists(form):
    assert_equal(read(form, message()).inputs)


def test_reads_flat_lists(form):
    entries = {name: entry(name, data=ARRAYS[name].ravel().tolist()) for name in ARRAYS}
    assert_equal(read(form, message(**entries)).inputs)


@pytest.mark.parametrize("names", [("dense", "ids", "flag"), ("ids",), ("flag", "ids")])
def test_reads_bytes_beside_lists(form, names):
    body, length = binary(*names)
    inputs = read_request(body, length, form).inputs
    assert_equal(inputs)
    assert all(array.flags.aligned for array in inputs.values())


def test_integers_are_taken_for_floats(form):
    dense = entry("dense", data=[[1, 2, 3], [4, 5, 6]])
    assert read(form, message(dense=dense)).inputs["dense"].dtype == np.float32


def test_wants_all_outputs_as_json_where_nothing_is_said(form):
    assert read(form, message()).outputs == {"score": False, "best": False}


def test_the_request_chooses_outputs_and_their_form(form):
    wanted = {
        "parameters": {"binary_data_output": True},
        "outputs": [{"name": "best", "parameters": {"binary_data": False}}, {"name": "score"}],
    }
    assert read(form, message() | wanted).outputs == {"best": False, "score": True}


def test_keeps_the_id(form):
    assert read(form, message() | {"id": "a1"}).id == "a1"


FAULTY = {
    "not JSON": (b"{", "not JSON"),
    "a list": (b"[]", "not a JSON object"),
    "no inputs": (b"{}", "send a list with dense, ids, flag"),
    "inputs is a string": (b'{"inputs": "x"}', "send a list"),
    "nameless": (b'{"inputs": [{}]}', "inputs[0]: is not an object with a name"),
    "no object": (b'{"inputs": [3]}', "inputs[0]: is not an object"),
    "unknown": (b'{"inputs": [{"name": "densse"}]}', "'densse' is unknown; there is dense, ids"),
    "missing": (b'{"inputs": []}', "input ids is missing"),
}


@pytest.mark.parametrize(("body", "said"), FAULTY.values(), ids=FAULTY)
def test_says_what_is_wrong_with_the_message(form, body, said):
    with pytest.raises(InputError) as caught:
        read_request(body, None, form)
    assert said in str(caught.value)


WRONG = {
    "datatype": ("dense", {"datatype": "FP64"}, "datatype FP64 should be FP32"),
    "shape of words": ("dense", {"shape": ["a", 3]}, "is not a list of sizes"),
    "shape below 0": ("dense", {"shape": [-1, 3]}, "is not a list of sizes"),
    "shape of bools": ("dense", {"shape": [True, 3]}, "is not a list of sizes"),
    "shape beyond all": ("dense", {"shape": [0, 2**80]}, "is not a list of sizes"),
    "rank": ("dense", {"shape": [6]}, "should have 2 sizes"),
    "ragged": ("dense", {"data": [[1, 2, 3], [4]]}, "not rectangular"),
    "too few": ("dense", {"data": [1, 2]}, "data has shape [2], [2, 3] was announced"),
    "transposed": ("dense", {"data": [[1, 2], [3, 4], [5, 6]]}, "[2, 3] was announced"),
    "words": ("dense", {"data": ["a"] * 6}, "data[0] is a, which is not FP32"),
    "null": ("dense", {"data": [1, None] * 3}, "data[1] is null, which is not FP32"),
    "objects": ("dense", {"data": [{}] * 6}, "data[0] is {}, which is not FP32"),
    "no list": ("dense", {"data": 7}, "data is not a list"),
    "fractions for ids": ("ids", {"data": [[1] * 4, [1, 1.5, 2, 3]]}, "data[1][1] is 1.5, which"),
    "huge ids": ("ids", {"data": [[2**63] * 4] * 2}, f"data[0][0] is {2**63}, which is not INT64"),
    "a huge id": ("ids", {"data": [-1, 2**63] * 4}, f"data[1] is {2**63}, which is not INT64"),
    "numbers for bools": ("flag", {"data": [1, 0]}, "data[0] is 1, which is not BOOL"),
    "twice": ("flag", {"parameters": {"binary_data_size": 2}}, "either data or binary_data_size"),
    "size of words": ("flag", {"parameters": {"binary_data_size": "2"}}, "is not a size in bytes"),
    "parameters": ("flag", {"parameters": [1]}, "parameters is not an object"),
    "shared memory": ("flag", {"parameters": {"shared_memory_region": "x"}}, "shared memory"),
}


@pytest.mark.parametrize(("name", "change", "said"), WRONG.values(), ids=WRONG)
def test_says_which_input_is_wrong(form, name, change, said):
    with pytest.raises(InputError) as caught:
        read(form, message(**{name: entry(name, **change)}))
    assert f"{name}: " in str(caught.value)
    assert said in str(caught.value)


def test_says_all_faults_at_once(form):
    bad = message(dense=entry("dense", datatype="FP16"), flag=entry("flag", data=[2, 3]))
    with pytest.raises(InputError, match=r"dense: .*flag: .*skore.*id: 7"):
        read(form, bad | {"outputs": [{"name": "skore"}], "id": 7})


def test_an_input_may_not_come_twice(form):
    bad = message()
    bad["inputs"].append(entry("flag"))
    with pytest.raises(InputError, match="flag: sent twice"):
        read(form, bad)


def test_axes_have_to_agree_between_inputs(form):
    with pytest.raises(InputError, match="axis batch is 3, but 2 in dense"):
        read(form, message(ids=entry("ids", np.ones((3, 4), int))))


def test_axes_have_to_be_in_range(form):
    with pytest.raises(InputError, match="ids: axis seq is 5, outside of 1 to 4"):
        read(form, message(ids=entry("ids", np.ones((2, 5), int))))
    empty = {name: entry(name, array[:0], data=[]) for name, array in ARRAYS.items()}
    with pytest.raises(InputError, match="axis batch is 0, outside of 1 to 8"):
        read(form, message(**empty))


@pytest.mark.parametrize("length", ["", "-1", "1e3", "999999999", "9" * 5000, "²", "0x10"])
def test_the_header_length_has_to_lie_within_the_body(form, length):
    with pytest.raises(InputError, match="Inference-Header-Content-Length"):
        read_request(b"{}", length, form)


@pytest.mark.parametrize("junk", [b"", b"\0"])
def test_all_bytes_have_to_be_claimed(form, junk):
    body, length = binary("ids", "flag", junk=junk)
    body = body if junk else body[:-1]
    with pytest.raises(InputError, match="the inputs claim 66 bytes"):
        read_request(body, length, form)


def test_a_bool_is_a_byte_0_or_1(form):
    body, length = binary("flag")
    with pytest.raises(InputError, match="a BOOL is a byte 0 or 1"):
        read_request(body[:-1] + b"\x07", length, form)


def test_garbled_requests_are_refused_or_read_but_never_break(form):
    choose = random.Random(0)
    refused = 0
    for _ in range(500):
        body, length = binary(*choose.sample(list(ARRAYS), 2))
        garbled = bytearray(body)
        for _ in range(choose.randint(1, 4)):
            garbled[choose.randrange(len(body))] = choose.randrange(256)
        cut = bytes(garbled[: choose.choice([len(body), choose.randrange(len(body))])])
        try:
            read_request(cut, choose.choice([length, None, str(int(length) - 3)]), form)
        except InputError:
            refused += 1
    assert refused > 300
