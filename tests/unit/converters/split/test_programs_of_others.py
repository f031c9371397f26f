"""Programs that were exported, saved and lowered elsewhere split alike."""

import io

import pytest
import torch

from converters.export import export_program
from converters.quiet import quiet
from converters.split.program import split_program
from tests.composing import Composed
from tests.models import MODELS

NAMES = ("dlrm", "bag_padding", "bag_weighted", "ranks", "shortened", "tied")


def saved(program):
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file)


def lowered(program):
    with quiet("torch.export"):
        return program.run_decompositions()


@pytest.mark.parametrize("come", [saved, lowered])
@pytest.mark.parametrize("name", NAMES)
def test_they_split_into_the_same_lookups(splits, tmp_path, name, come):
    model, wanted = MODELS[name], splits(name)
    program = come(export_program(model.module(), model.brief()))
    found = split_program(program, model.brief(), model.options, tmp_path, lambda _: None)
    assert found.lookups == wanted.split.lookups
    assert found.signature == wanted.split.signature
    arrays = model.arrays(3)
    composed = Composed(found, tmp_path)
    for answer, expected in zip(composed.run(arrays), wanted.composed.run(arrays), strict=True):
        assert torch.equal(answer, expected)
