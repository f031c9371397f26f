"""Without samples a module is tried on inputs that its layers suggest, and what ran is told."""

import pytest
import torch
from torch import nn

from converters.guesses import inspect_module
from registry.signature import Ids


class Clicks(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(500, 8)
        self.head = nn.Linear(8 + 3, 1)

    def forward(self, user, dense):
        return self.head(torch.cat([self.user(user), dense], 1))


class Words(nn.Module):
    """Nothing in the name of the input says that it holds ids."""

    def __init__(self, positions=None):
        super().__init__()
        self.words = nn.Parameter(torch.ones(70, 6))
        self.positions = nn.Linear(positions, 2) if positions else None

    def forward(self, x):
        found = self.words[x].sum(2)
        return self.positions(found) if self.positions else found


class Picture(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3)

    def forward(self, image):
        return self.first(image).mean((2, 3))


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(300, 4, mode="sum")

    def forward(self, tags, offsets):
        return self.bag(tags, offsets)


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(300, 4, mode="sum")
        self.user = nn.Embedding(500, 4)

    def forward(self, tags, weights, user):
        return self.bag(tags, per_sample_weights=weights) + self.user(user)


class Picky(nn.Module):
    def forward(self, x):
        raise ValueError("no")


def inputs_of(module):
    found = inspect_module(module.eval(), {})
    return {given.name: given for given, _ in found.inputs}, found


def test_ids_and_numbers_beside_them_are_found():
    found, seen = inputs_of(Clicks())
    assert (found["user"].shape, found["user"].ids) == (("batch",), Ids(cardinality=500))
    assert (found["dense"].shape, found["dense"].dtype) == (("batch", 3), "float32")
    assert seen.outputs
    assert "a trial that the model ran on" in seen.inputs[1][1]


def test_rows_of_a_raw_parameter_make_a_table_and_any_length_an_axis():
    found, seen = inputs_of(Words())
    assert (found["x"].shape, found["x"].ids) == (("batch", "length"), Ids(cardinality=70))
    assert seen.tables == (("words", 70, 6),)


def test_a_length_that_cannot_vary_stays_as_it_was_tried():
    found, _ = inputs_of(Words(positions=3))
    assert found["x"].shape == ("batch", 3)


def test_a_picture_is_found_by_its_channels():
    found, _ = inputs_of(Picture())
    assert found["image"].shape == ("batch", 3, 32, 32)


def test_weights_of_bags_are_found_and_grow_with_their_ids():
    found, seen = inputs_of(Weighted())
    assert (found["tags"].shape, found["tags"].ids) == (("batch", "length"), Ids(cardinality=300))
    assert (found["weights"].shape, found["weights"].dtype) == (("batch", "length"), "float32")
    assert seen.outputs


def test_bags_are_found():
    found, _ = inputs_of(Bag())
    assert found["offsets"].offsets == "tags"
    assert found["tags"].ids == Ids(cardinality=300)


@pytest.mark.parametrize("name", ["x"])
def test_a_module_that_runs_on_nothing_is_guessed_by_names(name):
    found, seen = inputs_of(Picky())
    assert found[name].shape == ("batch",)
    assert "guesses" in seen.inputs[0][1]
