"""Figures of merit."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from registry.errors import SourceError
from targets.parity.metrics import measure

pairs = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=30)


@given(pairs)
def test_auc_is_the_share_of_pairs_in_the_right_order_ties_counting_half(drawn):
    labels, scores = (np.array(column) for column in zip(*drawn, strict=True))
    assume(np.unique(labels).size == 2)
    apart = scores[labels == 1][:, None] - scores[labels == 0][None, :]
    expected = ((apart > 0) + 0.5 * (apart == 0)).mean()
    assert measure("auc", labels, scores.astype("f4")) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "auc"),
    [([0.1, 0.4, 0.35, 0.8], 0.75), ([1, 2, 3, 4], 1.0), ([4, 3, 2, 1], 0.0), ([5, 5, 5, 5], 0.5)],
)
def test_auc_of_known_cases(scores, auc):
    assert measure("auc", np.array([0, 0, 1, 1]), np.array(scores)) == auc


def test_auc_takes_a_column_of_scores():
    assert measure("auc", np.array([[0], [1]]), np.array([[0.1], [0.2]])) == 1.0


@pytest.mark.parametrize(
    ("answers", "accuracy"),
    [
        (np.array([0.9, 0.2, 0.5, 0.4]), 0.5),
        (np.array([[0.9], [0.2], [0.5], [0.4]]), 0.5),
        (np.array([1, 0, 0, 1]), 1.0),
        (np.array([[0.1, 3.0], [2.0, 1.0], [2.0, 1.0], [0.5, 0.4]]), 0.75),
    ],
)
def test_accuracy_reads_a_class_from_a_score_an_integer_or_the_best_column(answers, accuracy):
    assert measure("accuracy", np.array([1, 0, 0, 1]), answers) == accuracy


@pytest.mark.parametrize("name", ["auc", "accuracy"])
@pytest.mark.parametrize(
    ("labels", "answers", "fault"),
    [
        ([1, 1, 1], [0.1, 0.2, 0.3], "of one class only"),
        ([], [], "of one class only"),
        ([0, 1], [0.1, 0.2, 0.3], "do not fit"),
        ([[0, 1]], [[0.1, 0.2]], "do not fit"),
        ([0, np.nan], [0.1, 0.2], "labels hold NaN"),
        ([0, 1], [0.1, np.nan], "answers hold NaN"),
    ],
)
def test_labels_and_answers_that_measure_nothing_are_an_error(name, labels, answers, fault):
    with pytest.raises(SourceError, match=fault):
        measure(name, np.array(labels), np.array(answers))


def test_auc_refuses_other_labels_and_several_columns():
    with pytest.raises(SourceError, match="labels have to be 0 or 1"):
        measure("auc", np.array([1, 2]), np.array([0.1, 0.2]))
    with pytest.raises(SourceError, match="one score for each row"):
        measure("auc", np.array([0, 1]), np.zeros((2, 3)))


def test_accuracy_refuses_more_than_rows_and_classes():
    with pytest.raises(SourceError, match=r"not \[rows, classes\]"):
        measure("accuracy", np.array([0, 1]), np.zeros((2, 3, 4)))
