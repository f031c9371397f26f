"""Bags that are empty, first, in the middle and last, pool to what torch pools them to."""

import numpy as np
import pytest
import torch

BAGS = {
    "first empty": (0, 2, 3),
    "middle empty": (2, 0, 0, 3),
    "last empty": (4, 1, 0),
    "all empty": (0, 0, 0),
    "one alone": (3,),
    "one alone, empty": (0,),
    "one huge": (0, 700, 0),
}


@pytest.mark.parametrize("lengths", BAGS.values(), ids=BAGS)
@pytest.mark.parametrize(
    "name", ["bag_sum", "bag_mean", "bag_max", "bag_padding", "bag_padding_from_end"]
)
def test_bags_of_any_length_equal_the_original(splits, name, lengths):
    split = splits(name)
    arrays = _bags(lengths)
    (answer,), (original,) = split.composed.run(arrays), split.original(arrays)
    assert torch.equal(answer, original)


@pytest.mark.parametrize("lengths", BAGS.values(), ids=BAGS)
def test_offsets_that_include_the_end_equal_the_original(splits, lengths):
    split = splits("bag_ends_alone")
    arrays = _bags(lengths)
    arrays["offsets"] = np.append(arrays["offsets"], len(arrays["ids"]))
    (answer,), (original,) = split.composed.run(arrays), split.original(arrays)
    assert torch.equal(answer, original)


def test_a_bag_of_padding_alone_is_zero(splits):
    split = splits("bag_padding")
    arrays = {"ids": np.full(4, 3), "offsets": np.array([0, 1])}
    (vectors,) = split.composed.vectors(arrays).values()
    assert np.array_equal(vectors, np.zeros((2, 8), np.float32))
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_weights_make_no_difference_of_more_than_two_units_in_the_last_place(splits):
    split = splits("bag_weighted")
    arrays = {**_bags((3, 0, 9)), "weights": np.linspace(-1, 1, 12, dtype=np.float32)}
    (vectors,) = split.composed.vectors(arrays).values()
    with torch.no_grad():
        pooled = split.module.bag(*(torch.from_numpy(array) for array in arrays.values())).numpy()
    assert np.all(np.abs(vectors - pooled) <= 2 * np.spacing(np.abs(pooled).max(axis=1))[:, None])


def _bags(lengths: tuple[int, ...]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(sum(lengths))
    ends = np.cumsum(lengths)
    return {
        "ids": random.integers(0, 1100, ends[-1]),
        "offsets": np.concatenate([[0], ends[:-1]]).astype(np.int64),
    }
