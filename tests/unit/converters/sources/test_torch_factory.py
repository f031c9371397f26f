import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from converters.sources import SOURCES, find_source
from converters.sources.source import Brief, RefusalError
from converters.sources.torch_factory import SOURCE, TorchOptions
from converters.split.policy import SplitOptions
from registry.composition import Split
from registry.errors import SourceError
from registry.progress import silent
from registry.signature import Axis, Ids, Input

LAYERS = """
import torch

class Tower(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.out = torch.nn.Linear(dim + 2, 1)

    def forward(self, vectors, x):
        return torch.sigmoid(self.out(torch.cat([vectors, x], 1)))
"""
MODEL = """
import torch
from {package}layers import Tower

class Net(torch.nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.item = torch.nn.Embedding(rows, dim)
        self.tower = Tower(dim)

    def forward(self, x, item):
        return self.tower(self.item(item), x).squeeze(1)

def build(rows, dim=4):
    return Net(rows, dim)

def fails(**args):
    raise ValueError("no such preset: tiny")

def number():
    return 3
"""
INPUTS = (
    Input(name="item", dtype="int64", shape=("batch",), ids=Ids(cardinality=2000)),
    Input(name="x", dtype="float32", shape=("batch", 2)),
)


def brief(folder, **options):
    given = {"factory": "net:build", "args": {"rows": 2000}} | options
    return Brief(TorchOptions(**given), folder, INPUTS, {"batch": Axis(max=64)}, ("score",))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "layers.py").write_text(LAYERS)
    (tmp_path / "net.py").write_text(MODEL.format(package=""))
    (tmp_path / "unrelated.py").write_text("raise SystemExit('imported')")
    torch.manual_seed(1)
    table, out = torch.randn(2000, 4), torch.nn.Linear(6, 1).state_dict()
    save_file(
        {"item.weight": table, "tower.out.weight": out["weight"], "tower.out.bias": out["bias"]},
        tmp_path / "w.safetensors",
    )
    return tmp_path


def test_every_kind_of_options_finds_its_source():
    for source in SOURCES:
        assert find_source(source.options.model_construct()) is source


def test_the_files_are_the_weights_and_the_modules_that_the_factory_imports(folder):
    found = SOURCE.files(brief(folder, weights="w.safetensors").options, folder)
    assert {file.name for file in found} == {"w.safetensors", "net.py", "layers.py"}


def test_files_of_packages_and_relative_imports_count_too(folder):
    package = folder / "nets"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "layers.py").write_text(LAYERS)
    (package / "net.py").write_text(MODEL.format(package="."))
    found = SOURCE.files(TorchOptions(factory="nets.net:build"), folder)
    wanted = {Path("nets/__init__.py"), Path("nets/net.py"), Path("nets/layers.py")}
    assert {file.relative_to(folder) for file in found} == wanted


def test_a_split_points_to_the_checkpoint_and_leaves_no_path_behind(folder):
    before = list(sys.path)
    split = SOURCE.split(
        brief(folder, weights="w.safetensors"), SplitOptions(), folder / "out", silent
    )
    assert sys.path == before
    assert [table.name for table in split.tables] == ["item"]
    assert split.origins[0].file == str(folder / "w.safetensors")
    assert Split.model_validate_json((folder / "out" / "split.json").read_text()) == split
    assert (folder / "out" / "dense" / "model.pt2").stat().st_size < 2000 * 4 * 4


def test_weights_in_a_cache_of_downloads_are_read_through_their_links(folder):
    """As huggingface_hub lays them: names are links to files that are named by their digest."""
    index = "w.safetensors.index.json"
    places = dict.fromkeys(torch_state(folder), "w.safetensors")
    (folder / index).write_text(json.dumps({"weight_map": places}))
    (folder / "blobs").mkdir()
    for number, name in enumerate(("w.safetensors", index)):
        (folder / name).rename(folder / "blobs" / f"digest{number}")
        (folder / name).symlink_to(f"blobs/digest{number}")
    for weights in ("w.safetensors", index):
        checked = SOURCE.split(
            brief(folder, weights=weights), SplitOptions(), folder / "out", silent
        )
        assert checked.origins[0].file == str(folder / "w.safetensors")


def test_what_was_done_to_the_weights_is_remarked(folder):
    net = {f"module.{k}": v for k, v in torch_state(folder).items()}
    torch.save(net, folder / "w.pt")
    split = SOURCE.split(brief(folder, weights="w.pt"), SplitOptions(), folder / "out", silent)
    assert "'module.' was taken off" in split.remarks[0].text
    assert Split.model_validate_json((folder / "out" / "split.json").read_text()) == split


def torch_state(folder):
    return load_file(folder / "w.safetensors")


def test_it_answers_like_the_module_and_refuses_what_it_refuses(folder):
    answer = SOURCE.answers(brief(folder, weights="w.safetensors"))
    state = torch_state(folder)
    item, x = np.array([0, 1999, 7]), np.ones((3, 2), "float32")
    wide = torch.cat([state["item.weight"][item], torch.from_numpy(x)], 1)
    wanted = torch.sigmoid(wide @ state["tower.out.weight"].T + state["tower.out.bias"])[:, 0]
    np.testing.assert_allclose(answer({"item": item, "x": x})["score"], wanted, rtol=1e-6)
    for wrong in (2000, -1):
        with pytest.raises(RefusalError):
            answer({"item": np.array([wrong, 0, 0]), "x": x})


def test_inspection_tells_inputs_tables_and_what_was_guessed(folder):
    samples = {"x": np.ones((8, 2), "float32"), "item": np.arange(8)}
    found = SOURCE.inspect(brief(folder).options, folder, samples)
    assert found.tables == (("item", 2000, 4),)
    assert found.outputs == ("output",)
    inputs = {given.name: (given, said) for given, said in found.inputs}
    assert inputs["item"][0] == INPUTS[0]
    assert inputs["item"][1] == "cardinality of the table"
    assert inputs["x"][0] == INPUTS[1].model_copy(update={"range": (1.0, 2.0)})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"factory": "net:biuld"}, "net has no 'biuld'; did you mean 'build'?"),
        ({"factory": "nett:build"}, "module nett is not there (did you mean net?)"),
        ({"factory": "net:fails"}, '(raise ValueError("no such preset: tiny")): ValueError: no'),
        ({"factory": "net:number", "args": {}}, "returned a int, not a torch.nn.Module"),
        ({"args": {"row": 1}}, "unexpected keyword argument 'row'"),
        ({"weights": "w.safetensor"}, "did you mean w.safetensors?"),
        ({"weights": "w.safetensors", "args": {"rows": 10}}, "item.weight is [2000, 4] in the"),
    ],
)
def test_a_source_that_cannot_be_opened_says_why(options, said, folder):
    with pytest.raises(SourceError, match=re.escape(said)):
        SOURCE.answers(brief(folder, **options))


def test_a_module_that_does_not_import_names_its_line(folder):
    (folder / "broken.py").write_text("import torch\nimport no_such_package\n")
    with pytest.raises(SourceError, match=r"importing broken raised at .*broken\.py:2 .*no_such"):
        SOURCE.answers(brief(folder, factory="broken:build"))


def test_a_module_with_a_name_of_ours_is_refused(folder):
    (folder / "registry.py").write_text(MODEL.format(package=""))
    with pytest.raises(SourceError, match="has the name of an installed package: rename it"):
        SOURCE.answers(brief(folder, factory="registry:build"))


def test_two_jobs_may_call_their_modules_alike(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "net.py").write_text("import torch\ndef build(rows): return torch.nn.Identity()\n")
    SOURCE.answers(brief(folder))
    identity = Brief(TorchOptions(factory="net:build", args={"rows": 1}), other, INPUTS[1:], {}, ())
    x = np.ones((3, 2), "float32")
    assert np.array_equal(SOURCE.answers(identity)({"x": x})["output"], x)


def test_a_job_without_weights_takes_the_modules_own(folder):
    split = SOURCE.split(brief(folder), SplitOptions(), folder / "out", silent)
    assert split.origins[0].file.startswith("origins")
    assert list((folder / "out" / "origins").iterdir())


def test_a_table_that_was_cast_is_not_taken_from_the_checkpoint(folder):
    state = torch_state(folder)
    save_file(state | {"item.weight": state["item.weight"].half()}, folder / "h.safetensors")
    split = SOURCE.split(
        brief(folder, weights="h.safetensors"), SplitOptions(), folder / "out", silent
    )
    assert split.origins[0].file.startswith("origins")
    written = load_file(folder / "out" / split.origins[0].file)["rows"]
    assert torch.equal(written, state["item.weight"].half().float())


def test_weights_that_are_not_numbers_stop_the_split(folder):
    state = torch_state(folder)
    state["item.weight"][5, 0] = float("nan")
    save_file(state, folder / "nan.safetensors")
    with pytest.raises(SourceError, match=r"item\.weight \(NaN at flat index 20\)"):
        SOURCE.split(brief(folder, weights="nan.safetensors"), SplitOptions(), folder / "o", silent)
