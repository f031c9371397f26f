"""Files of estimators are data, or are refused."""

import pickle
import zipfile

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from converters.processing.skops_file import open_estimator
from converters.processing.trees import trees_in
from registry.errors import SourceError
from tests.hostile_files import Bomb
from tests.processing import dump

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("compress", [0, ("zlib", 3), ("gzip", 3)])
def test_a_pickle_is_refused_whatever_it_is_called_and_does_not_run(compress, tmp_path):
    file, mark = tmp_path / "scaler.skops", tmp_path / "ran"
    joblib.dump(Bomb(mark), file, compress=compress)
    with pytest.raises(SourceError, match=r"is a pickle, which can run code.*skops.io.dump"):
        open_estimator(file)
    file.write_bytes(pickle.dumps(Bomb(mark), protocol=0))
    with pytest.raises(SourceError, match="is no file of skops"):
        open_estimator(file)
    assert not mark.exists()


class Mine(StandardScaler):
    """A type that nobody vouches for."""


@pytest.mark.parametrize(
    ("estimator", "named"),
    [
        (Mine().fit(X), "test_skops_file.Mine"),
        (HistGradientBoostingClassifier(max_iter=1).fit(X, Y), "TreePredictor"),
    ],
)
def test_a_type_that_is_not_known_to_be_data_is_named(estimator, named, tmp_path):
    with pytest.raises(SourceError, match=rf"holds .*{named}.*skl2onnx.to_onnx"):
        open_estimator(dump(tmp_path, estimator))


def test_an_archive_that_is_none_of_skops_is_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.skops", "w") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(SourceError, match="skops cannot read it"):
        open_estimator(tmp_path / "a.skops")


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (StandardScaler(), "StandardScaler is not fitted"),
        ({"scaler": 1}, "holds a dict, and no estimator"),
    ],
)
def test_what_is_no_fitted_estimator_is_refused(thing, said, tmp_path):
    with pytest.raises(SourceError, match=said):
        open_estimator(dump(tmp_path, thing))


def test_trees_are_found_however_deep():
    forest = RandomForestRegressor(3).fit(X, Y)
    assert len(list(trees_in({"a": [forest]}))) == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [("left_child", 0), ("right_child", 10**6), ("feature", 10**6), ("feature", -5)],
)
def test_a_tree_that_leads_out_of_itself_is_refused(field, value, tmp_path):
    tree = DecisionTreeRegressor(max_depth=2).fit(X, Y)
    file = dump(tmp_path, tree)
    assert open_estimator(file).predict(X).shape == (40,)
    state = tree.tree_.__getstate__()
    nodes = state["nodes"].copy()
    nodes[field][0] = value
    tree.tree_.__setstate__({**state, "nodes": nodes})
    with pytest.raises(SourceError, match="a decision tree in it leads out of itself"):
        open_estimator(dump(tmp_path, tree))
    assert skops.io.get_untrusted_types(file=file)
