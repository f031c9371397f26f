"""Every model of `tests.models`, split once."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from converters.export import export_program
from converters.split.program import split_program
from registry.composition import Split
from tests.composing import Composed
from tests.models import MODELS, Model


@dataclass(frozen=True)
class SplitModel:
    """A model, and what the split made of it."""

    model: Model
    module: torch.nn.Module
    split: Split
    composed: Composed

    def original(self, arrays: dict[str, np.ndarray]) -> tuple[torch.Tensor, ...]:
        with torch.no_grad():
            answer = self.module(*(torch.from_numpy(array) for array in arrays.values()))
        if isinstance(answer, dict):
            return tuple(answer.values())
        return answer if isinstance(answer, tuple) else (answer,)


def split_model(model: Model, folder: Path) -> SplitModel:
    program = export_program(model.module(), model.brief())
    split = split_program(program, model.brief(), model.options, folder, lambda key: None)
    return SplitModel(model, model.module(), split, Composed(split, folder))


@pytest.fixture(scope="session")
def splits(tmp_path_factory):
    """Split a model by name, once."""
    made: dict[str, SplitModel] = {}

    def get(name: str) -> SplitModel:
        if name not in made:
            made[name] = split_model(MODELS[name], tmp_path_factory.mktemp(name))
        return made[name]

    return get
