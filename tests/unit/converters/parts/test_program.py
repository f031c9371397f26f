"""Exported programs are cut where the job says, and the parts together answer to the bit."""

import re

import numpy as np
import pytest
import torch
from torch import nn

from registry.errors import SplitError
from registry.signature import DType
from tests.composing import SplitModel, split_model
from tests.cutting import cut_at, run_parts
from tests.models import MODELS, Model, ids, numbers


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> SplitModel:
    return split_model(MODELS["bert"], tmp_path_factory.mktemp("bert"))


def cut(made: SplitModel, out, **until):
    return cut_at(made.model, made.split.dense, made.composed.folder, out, **until)


def answers(made: SplitModel, parts, out, size: int) -> list[np.ndarray]:
    arrays = made.model.arrays(size)
    values = run_parts(parts, out, {**arrays, **made.composed.vectors(arrays)})
    return [values[tensor.name] for tensor in made.split.dense.signature.outputs]


def assert_same(made: SplitModel, parts, out) -> None:
    """Hold the parts against the module, at sizes that nothing was traced with."""
    for size in (1, 4, 9):
        right = made.original(made.model.arrays(size))
        for one, other in zip(right, answers(made, parts, out, size), strict=True):
            np.testing.assert_allclose(other, one.numpy(), rtol=1e-5, atol=1e-6)


def test_a_skip_connection_leaks_until_it_is_named(bert, tmp_path):
    with pytest.raises(SplitError) as caught:
        cut(bert, tmp_path / "no", first=["blocks.0"], second=["blocks.1"])
    said = str(caught.value)
    assert "do not separate part 'first' from what comes after it" in said
    (added,) = re.findall(r"add (.*) to `until`", said)
    names = re.findall(r'"(.+?)"', added)
    assert "module 'blocks.1'" in said
    assert "encoders.py:" in said
    parts = cut(bert, tmp_path, first=["blocks.0", *names], second=["blocks.1"])
    assert [part.part for part in parts] == ["first", "second", "rest"]
    assert_same(bert, parts, tmp_path)


def test_axes_stay_symbolic_across_the_cut_and_have_the_names_of_the_job(bert, tmp_path):
    first, rest = cut(bert, tmp_path, first=["blocks.1", "ne"])
    handed = [tensor for tensor in first.signature.outputs if tensor.name.startswith("first__")]
    assert ("batch", "length", 16) in [tensor.shape for tensor in handed]
    assert set(handed) <= set(rest.signature.inputs)
    assert_same(bert, (first, rest), tmp_path)


class Several(nn.Module):
    """Two outputs of which one lies early, a node with several values, a tied matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.first, self.last = nn.Embedding(1100, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.last.weight = self.first.weight

    def forward(self, words, x):
        early = torch.tanh(self.first(self.words(words)))
        best, at = (early + x).max(-1, keepdim=True)
        left, right = self.last(early * best).chunk(2, -1)
        return early, left - right, at


SEVERAL = Model(
    build=Several,
    inputs=(ids("words", "batch"), numbers("x", "batch", 8)),
    axes=MODELS["bert"].axes,
    lookups=1,
    tables=1,
)


@pytest.fixture(scope="module")
def several(tmp_path_factory) -> SplitModel:
    return split_model(SEVERAL, tmp_path_factory.mktemp("several"))


def test_nodes_of_several_values_outputs_inside_and_shared_weights_are_handed_on(several, tmp_path):
    first, rest = cut(several, tmp_path, first=["max*"])
    names = [tensor.name for tensor in several.split.dense.signature.outputs]
    given = {tensor.name: tensor for tensor in first.signature.outputs}
    assert given.keys() >= {names[0], names[2]}
    assert given[names[2]].dtype is DType.INT64
    assert names[0] in {tensor.name for tensor in rest.signature.inputs}
    assert_same(several, (first, rest), tmp_path)


def test_a_model_without_tables_is_cut_just_the_same(tmp_path):
    made = split_model(MODELS["picture"], tmp_path / "split")
    names = [node.name for node in made.composed.program.graph.nodes if "relu" in node.name]
    parts = cut(made, tmp_path, first=names[:1])
    assert_same(made, parts, tmp_path)


def test_an_unknown_name_is_told_with_names_that_look_like_it(bert, tmp_path):
    with pytest.raises(SplitError, match=r"split.parts\[0\].until\[0\]: .*'block.1'.*'blocks.1'"):
        cut(bert, tmp_path, first=["block.1"])


def test_sizes_are_taken_from_inputs_and_do_not_leak(tmp_path):
    class Sized(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.line = nn.Embedding(1100, 8), nn.Linear(8, 8)

        def forward(self, words):
            states = self.line(self.words(words))
            inner = states.relu()
            return inner.reshape(states.shape[0], -1).sum(-1)

    sized = Model(
        build=Sized,
        inputs=(ids("words", "batch", "length"),),
        axes=MODELS["bert"].axes,
        lookups=1,
        tables=1,
    )
    made = split_model(sized, tmp_path / "split")
    parts = cut(made, tmp_path, first=["relu"])
    assert_same(made, parts, tmp_path)
