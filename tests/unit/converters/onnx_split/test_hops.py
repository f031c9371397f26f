"""Rows of integer tables in ONNX files are ids of the next lookup, in as many hops as it takes."""

import numpy as np
import pytest
from onnx.helper import make_node

from converters.brief import Brief, RefusalError
from converters.sources.onnx_file import SOURCE, OnnxOptions
from converters.split.policy import SplitOptions
from registry.errors import InputError
from registry.progress import silent
from registry.signature import DType, Input
from tests.composed_onnx import ComposedOnnx
from tests.tiny_chain import chain
from tests.tiny_onnx import model, tensor, values, write
from tests.tiny_recommenders import AXES, FLOAT, INPUTS, INT64, constant

USER = INPUTS[0]
SALT = Input(name="salt", dtype=DType.INT64, shape=("batch",), range=(0, 2**40))
ROWS = np.random.default_rng(5)


def brief_of(folder, inputs):
    return Brief(OnnxOptions(file="model.onnx"), folder, inputs, AXES)


def split(folder, inputs=(USER, SALT), options=None):
    given = options or SplitOptions()
    return SOURCE.split(brief_of(folder, inputs), given, folder / "out", silent)


@pytest.fixture(scope="module", params=[False, True], ids=["inside", "beside"])
def cut(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    write(chain(), folder, external=request.param)
    return folder, split(folder)


def test_every_table_of_a_chain_is_cut(cut):
    _, found = cut
    assert [(one.table, one.ids) for one in found.lookups] == [
        ("past", "user"), ("vectors", "ids__0"), ("shop", "ids__1"), ("places", "ids__2")
    ]  # fmt: skip
    assert found.kept == ()
    assert found.ids is None
    assert [str(one.signature) for one in found.hops] == [
        "(emb__past__0: int64[batch, 3]) -> (ids__0: int64[batch, 3], ids__1: int32[batch, 3])",
        "(salt: int64[batch], emb__shop__0: int32[batch, 3, 1]) -> (ids__2: int64[batch, 3])",
    ]
    assert found.dense.ranges == {"emb__past__0": (-1, 1099)}


@pytest.mark.parametrize("batch", [1, 2, 9])
def test_a_chain_answers_like_the_file_to_the_bit(batch, cut):
    folder, found = cut
    drawn = np.random.default_rng(batch)
    arrays = {"user": drawn.integers(0, 1200, batch), "salt": drawn.integers(0, 2**40, batch)}
    whole = SOURCE.answers(brief_of(folder, (USER, SALT)))(arrays)
    parts = ComposedOnnx(found, folder / "out").run(arrays)
    assert np.abs(whole["y"]).max() > 0.1
    assert np.array_equal(parts["y"], whole["y"])


def test_ids_out_of_a_table_are_held_against_the_next_one(tmp_path):
    past = ROWS.integers(0, 1100, (1200, 3))
    past[7, 1] = 1100
    nodes = [
        make_node("Gather", ["past", "user"], ["items"]),
        make_node("Gather", ["vectors", "items"], ["y"]),
    ]
    outputs = [tensor("y", FLOAT, "batch", 3, 4)]
    weights = [constant("past", past), values("vectors", 1100, 4)]
    write(model(nodes, [tensor("user", INT64, "batch")], outputs, weights), tmp_path)
    parts = ComposedOnnx(split(tmp_path, (USER,)), tmp_path / "out")
    assert parts.run({"user": np.array([6])})["y"].shape == (1, 3, 4)
    with pytest.raises(InputError, match=r"id 1100 is not in table vectors"):
        parts.run({"user": np.array([6, 7])})
    with pytest.raises(RefusalError):
        SOURCE.answers(brief_of(tmp_path, (USER,)))({"user": np.array([6, 7])})


def test_few_ids_are_no_table_but_belong_to_the_ids_program_unless_they_are_named(tmp_path):
    nodes = [
        make_node("Gather", ["way", "user"], ["items"]),
        make_node("Gather", ["vectors", "items"], ["y"]),
    ]
    weights = [constant("way", ROWS.integers(0, 1100, 50)), values("vectors", 1100, 4)]
    outputs = [tensor("y", FLOAT, "batch", 4)]
    write(model(nodes, [tensor("user", INT64, "batch")], outputs, weights), tmp_path)
    found = split(tmp_path, (USER,))
    assert [one.table for one in found.lookups] == ["vectors"]
    assert found.kept == ()
    assert found.ids is not None
    named = split(tmp_path, (USER,), SplitOptions(tables=("way", "vectors")))
    assert [one.table for one in named.lookups] == ["way", "vectors"]
    ids = {"user": np.array([0, 49, 7])}
    whole = SOURCE.answers(brief_of(tmp_path, (USER,)))(ids)
    assert np.array_equal(ComposedOnnx(named, tmp_path / "out").run(ids)["y"], whole["y"])
