"""Programs that were exported, saved and lowered elsewhere split alike."""

import io

import pytest
import torch
from torch import nn
from torch.nn import functional

from converters.programs.export import export_program
from converters.quiet import quiet
from converters.split.program import split_program
from registry.composition import Origin
from registry.signature import Axis
from tests.composing import Composed
from tests.models import MODELS, Model, ids

NAMES = ("bag_padding", "bag_weighted", "shortened", "tied")


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


class WithoutGradients(nn.Module):
    """Looks up without gradients, with a layer before and after."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.layer = nn.Embedding(1100, 8), nn.Linear(8, 8)

    def forward(self, ids):
        with torch.no_grad():
            vectors, doubled = self.table(ids), self.layer(self.table(ids)) * 2
        return self.layer(vectors) + doubled


def test_lookups_without_gradients_are_found(tmp_path):
    model = Model(
        build=WithoutGradients,
        inputs=(ids("ids", "batch"),),
        axes={"batch": Axis(max=64)},
        lookups=1,
        tables=1,
    )
    shapes = ({0: torch.export.Dim("batch", max=64)},)
    program = torch.export.export(model.module(), (torch.arange(5),), dynamic_shapes=shapes)
    assert any("wrap_with_set_grad_enabled" in str(node.target) for node in program.graph.nodes)
    found = split_program(program, model.brief(), model.options, tmp_path, lambda _: None)
    assert (len(found.lookups), found.kept) == (1, ())
    arrays = model.arrays(3)
    (answer,) = Composed(found, tmp_path).run(arrays)
    assert torch.equal(answer, model.module()(torch.from_numpy(arrays["ids"])))


class Huge(nn.Module):
    """Tables that no memory holds: one number, declared to stand everywhere."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("user", "item", "word"):
            number = nn.Parameter(torch.zeros(1, 1).expand(10**9, 64), requires_grad=False)
            self.register_parameter(name, number)

    def forward(self, ids):
        item = functional.embedding(ids, self.item)
        user = functional.embedding_bag(ids, self.user, torch.zeros(1, dtype=torch.int64))
        return item + user + self.word.index_select(0, ids)


def test_tables_are_never_touched(tmp_path):
    model = Model(
        build=Huge,
        inputs=(ids("ids", "batch"),),
        axes={"batch": Axis(max=64)},
        lookups=3,
        tables=3,
    )
    program = export_program(model.module(), model.brief())

    def find(key):
        return Origin(table="", file="/weights", key=key)

    found = split_program(program, model.brief(), model.options, tmp_path, find)
    assert sum(table.rows * table.dim * 4 for table in found.tables) == 3 * 256 * 10**9
    assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) < 1 << 20
