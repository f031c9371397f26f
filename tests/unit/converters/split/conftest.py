"""Every model of `tests.models`, split once."""

import pytest

from tests.composing import SplitModel, split_model
from tests.models import MODELS


@pytest.fixture(scope="session")
def splits(tmp_path_factory):
    """Split a model by name, once."""
    made: dict[str, SplitModel] = {}

    def get(name: str) -> SplitModel:
        if name not in made:
            made[name] = split_model(MODELS[name], tmp_path_factory.mktemp(name))
        return made[name]

    return get
