import importlib.util

import pytest
import torch

from converters.programs.jagged import feed_jagged
from registry.errors import MissingExtraError, SourceError
from registry.signature import Ids, Input

DENSE = Input(name="dense", dtype="float32", shape=("batch", 2))
USER = Input(name="user", dtype="int64", shape=("n",), ids=Ids(cardinality=9))
ENDS = Input(name="user_ends", dtype="int64", shape=("ends",), offsets="user", includes_last=True)


class Model(torch.nn.Module):
    def forward(self, dense, features):
        return dense


@pytest.mark.parametrize(
    ("jagged", "inputs", "said"),
    [
        (["user"], (DENSE, USER), "needs an input with `lengths: user` or `offsets: user`"),
        (["user"], (DENSE, ENDS), "needs an input of that name"),
        (
            ["user", "item"],
            (DENSE, USER, ENDS),
            "'item' needs an input of that name.*lengths: item",
        ),
        (["user"], (USER, ENDS), "forward needs 'dense'"),
        (["user"], (DENSE, USER, ENDS, DENSE.model_copy(update={"name": "x"})), "'x' is no param"),
        (
            ["user"],
            (DENSE, USER, ENDS.model_copy(update={"includes_last": False})),
            "'user_ends' needs `includes_last: true`",
        ),
    ],
)
def test_inputs_that_make_no_features_are_told_together(jagged, inputs, said):
    with pytest.raises(SourceError, match=said):
        feed_jagged(Model(), {"features": jagged}, inputs)


def test_a_parameter_that_forward_lacks_is_named():
    with pytest.raises(SourceError, match="no parameter 'sparse', it takes \\(dense, features\\)"):
        feed_jagged(Model(), {"sparse": ["user"]}, (DENSE, USER, ENDS))


def test_weights_of_one_feature_ask_for_those_of_all():
    items = [
        one.model_copy(update={"name": one.name.replace("user", "item"), "offsets": of})
        for one, of in ((USER, None), (ENDS, "item"))
    ]
    weights = Input(name="user_weights", dtype="float32", shape=("n",))
    given = (DENSE, USER, ENDS, weights, *items)
    with pytest.raises(SourceError, match="'item' needs an input item_weights"):
        feed_jagged(Model(), {"features": ["user", "item"]}, given)


def test_the_platform_runs_without_torchrec_and_says_who_needs_it():
    assert importlib.util.find_spec("torchrec") is None
    with pytest.raises(MissingExtraError, match=r"torchrec is not installed in .*pip install"):
        feed_jagged(Model(), {"features": ["user"]}, (DENSE, USER, ENDS))
