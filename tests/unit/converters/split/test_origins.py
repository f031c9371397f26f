"""Where the rows of tables come from."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from converters.programs.export import export_program
from converters.split.origins import write_rows
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from registry.composition import Origin, Split
from tests.models import MODELS


def test_a_table_of_the_checkpoint_is_pointed_to_and_not_written(tmp_path):
    asked = []

    def find(key):
        asked.append(key)
        return Origin(table="", file="/weights.safetensors", key=f"model.{key}")

    model = MODELS["two_tower"]
    program = export_program(model.module(), model.brief())
    split = split_program(program, model.brief(), SplitOptions(), tmp_path, find)
    assert split.origins == (
        Origin(table="entities", file="/weights.safetensors", key="model.entities.weight"),
    )
    assert asked == ["entities.weight"]
    assert not (tmp_path / "origins").exists()


def test_every_name_of_a_shared_table_is_asked_for(tmp_path):
    model = MODELS["tied"]
    program = export_program(model.module(), model.brief())

    def find(key):
        return Origin(table="", file="/w", key=key) if key == "out.weight" else None

    split = split_program(program, model.brief(), SplitOptions(), tmp_path, find)
    assert split.tables[0].keys == ("table.weight", "out.weight")
    assert split.tables[0].name == "table"
    assert split.origins[0].key == "out.weight"


def test_an_expression_is_computed_and_said_so(splits):
    split = splits("expression")
    folded = next(table for table in split.split.tables if table.fold)
    assert folded.fold == "add(mul(weight, 0.5), 1)"
    rows = load_file(split.composed.folder / "origins" / f"{folded.name}.safetensors")["rows"]
    assert torch.equal(rows, split.module.weight.detach() * 0.5 + 1)
    assert any(folded.fold in remark.text for remark in split.split.remarks)


def test_max_norm_is_applied_to_all_rows(splits):
    split = splits("shortened")
    (table, bag) = split.split.tables
    assert "embedding_renorm" in (table.fold or "")
    rows = load_file(split.composed.folder / "origins" / f"{bag.name}.safetensors")["rows"]
    assert split.module.table.weight.norm(dim=1).max() > 1.5
    assert rows.norm(dim=1).max() <= 0.5 + 1e-6


def test_one_matrix_of_a_stack_is_a_table(splits):
    split = splits("ranks")
    stack = next(table for table in split.split.tables if table.name == "stack")
    assert (stack.rows, stack.dim, stack.fold) == (1100, 3, "select(stack, 0, 2)")


def test_the_split_reads_back_as_it_was_written(splits):
    split = splits("dlrm")
    text = (split.composed.folder / "split.json").read_text()
    assert Split.model_validate_json(text) == split.split


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_rows_are_written_as_safetensors(tmp_path, dtype):
    rows = torch.arange(30).reshape(10, 3).to(dtype)
    write_rows(rows, tmp_path / "deep" / "t.safetensors")
    read = load_file(tmp_path / "deep" / "t.safetensors")["rows"]
    assert read.dtype == dtype
    assert np.array_equal(read.float().numpy(), rows.float().numpy())
