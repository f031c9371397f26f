"""Tensors of a torch.export program, where they lie in its file."""

import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from converters.checkpoints.checkpoint import open_checkpoint, rows
from converters.checkpoints.stored import mapped
from converters.programs.mapped import mapping_weights
from registry.errors import SourceError


class Odd(nn.Module):
    """A tied weight, one that lies transposed, a buffer and a constant."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.table = nn.Embedding(50, 8)
        self.out = nn.Linear(8, 50)
        self.out.weight = self.table.weight
        self.turned = nn.Parameter(torch.randn(4, 8).t())
        self.narrow = nn.Parameter(torch.randn(50, 8).bfloat16())
        self.register_buffer("shift", torch.arange(50))
        self.scale = torch.tensor([2.0, 3.0, 4.0, 5.0])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        rows = self.table(self.shift[ids]) + self.narrow[ids]
        return self.out(rows).sum() + (rows @ self.turned * self.scale)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    file = tmp_path_factory.mktemp("program") / "model.pt2"
    module = Odd().eval()
    exported = torch.export.export(module, (torch.tensor([1, 2]),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's remark on the weight that lies transposed
        torch.export.save(exported, file)
    return file, module


def test_every_tensor_is_found_with_its_values(program):
    file, module = program
    found = open_checkpoint(file).tensors
    held = {**module.state_dict(), "scale": module.scale}
    assert set(found) == set(held)
    for name, stored in found.items():
        assert np.array_equal(
            mapped(stored).astype(np.float32), held[name].detach().float().numpy()
        ), name


def test_the_rows_of_a_table_are_read_where_they_lie(program):
    file, module = program
    origin = open_checkpoint(file).find_origin("out.weight")
    assert np.array_equal(rows(origin, file.parent), module.table.weight.detach().numpy())


def test_torch_maps_the_weights_and_answers_the_same(program):
    file, module = program
    with mapping_weights(file):
        held = torch.export.load(file)
    assert str(file) in Path("/proc/self/maps").read_text()
    ids = torch.tensor([3, 49])
    assert torch.equal(held.module()(ids), module(ids))


def test_what_is_written_to_a_mapped_weight_stays_in_memory(program):
    file, _ = program
    before = file.read_bytes()
    with mapping_weights(file):
        held = torch.export.load(file)
    with torch.no_grad():
        held.state_dict["table.weight"].zero_()
    assert file.read_bytes() == before


def test_a_program_that_was_compressed_is_read_as_ever(program, tmp_path):
    file, module = program
    packed = tmp_path / "model.pt2"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, old.read(entry))
    assert open_checkpoint(packed).tensors == {}
    with mapping_weights(packed):
        held = torch.export.load(packed)
    ids = torch.tensor([3, 49])
    assert torch.equal(held.module()(ids), module(ids))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"sizes": [{"as_int": 50}', b'"sizes": [{"as_int": 51}'),
        (b'"storage_offset": {"as_int": 0}', b'"storage_offset": {"as_int": 9}'),
        (b'"dtype": 7', b'"dtype": 99'),
    ],
)
def test_a_tensor_that_its_record_does_not_hold_is_not_offered(old, new, program, tmp_path):
    changed = tmp_path / "model.pt2"
    with zipfile.ZipFile(program[0]) as was, zipfile.ZipFile(changed, "w") as now:
        for entry in was.infolist():
            data = was.read(entry)
            now.writestr(entry.filename, data.replace(old, new) if b"config" in data else data)
    assert "table.weight" not in open_checkpoint(changed).tensors


def test_a_list_that_is_none_is_refused(program, tmp_path):
    changed = tmp_path / "model.pt2"
    with zipfile.ZipFile(program[0]) as was, zipfile.ZipFile(changed, "w") as now:
        for entry in was.infolist():
            data = b"[]" if entry.filename.endswith("weights_config.json") else was.read(entry)
            now.writestr(entry.filename, data)
    with pytest.raises(SourceError, match=r"not a torch\.export program"):
        open_checkpoint(changed)
