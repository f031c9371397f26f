"""`pipeline init` writes jobs that load, from real models of each kind."""

import json

import numpy as np
import onnx
import pandas as pd
import pytest
import torch
from onnx import TensorProto, helper

from pipeline.cli import call
from pipeline.job.load import load_job

MODULE = """\
import torch

class Clicks(torch.nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.user = torch.nn.Embedding(rows, dim)
        self.head = torch.nn.Linear(dim + 3, 1)

    def forward(self, user, dense):
        return self.head(torch.cat([self.user(user), dense], 1))

def build(rows=2000, dim=8):
    return Clicks(rows, dim)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def onnx_file(folder):
    """A table of 2000 rows, and one matrix product."""
    floats = TensorProto.FLOAT
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "user"], ["vectors"]),
            helper.make_node("MatMul", ["vectors", "weights"], ["score"]),
        ],
        "clicks",
        [helper.make_tensor_value_info("user", TensorProto.INT64, ["N"])],
        [helper.make_tensor_value_info("score", floats, ["N", 1])],
        [
            helper.make_tensor("table", floats, [2000, 4], np.ones(8000, np.float32)),
            helper.make_tensor("weights", floats, [4, 1], np.ones(4, np.float32)),
        ],
    )
    path = folder / "clicks.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), path)
    return path


@pytest.fixture
def program_file(folder):
    class Sum(torch.nn.Module):
        def forward(self, x):
            return x.sum(1)

    batch = torch.export.Dim("batch", min=1, max=64)
    program = torch.export.export(Sum(), (torch.ones(3, 4),), dynamic_shapes=({0: batch},))
    torch.export.save(program, folder / "sum.pt2")
    return folder / "sum.pt2"


def test_an_onnx_file_becomes_a_job(onnx_file, folder, capsys):
    assert call(["init", "--onnx", "clicks.onnx"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("job.yaml: 1 input, ")
    job = load_job(folder / "job.yaml")
    assert job.model == "clicks"
    assert (job.source.kind, job.source.file) == ("onnx", "clicks.onnx")
    assert [one.name for one in job.inputs] == ["user"]
    assert job.outputs == ("score",)


def test_a_model_is_named_after_its_folder_where_all_files_have_the_same_name(onnx_file, folder):
    (folder / "ranker").mkdir()
    onnx_file.rename(folder / "ranker" / "model.onnx")
    assert call(["init", "--onnx", "ranker/model.onnx"]) == 0
    assert load_job(folder / "job.yaml").model == "ranker"


def test_what_was_guessed_is_told_as_json(onnx_file, folder, capsys):
    assert call(["init", "--onnx", "clicks.onnx", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["job"], told["model"], told["outputs"]) == ("job.yaml", "clicks", ["score"])
    (given,) = told["inputs"]
    assert given["name"] == "user"
    assert "from a table of 2000" in given["guessed"]


def test_a_program_becomes_a_job(program_file, folder):
    assert call(["init", "--program", "sum.pt2", "--model", "sums"]) == 0
    job = load_job(folder / "job.yaml")
    assert (job.model, job.source.kind) == ("sums", "program")
    assert job.inputs[0].shape[1] == 4
    assert job.axes[job.inputs[0].shape[0]].max == 64


def test_a_factory_becomes_a_job(folder):
    (folder / "shop_to_init.py").write_text(MODULE)
    np.savez(folder / "s.npz", user=np.arange(5), dense=np.ones((5, 3), np.float32))
    command = ["init", "--factory", "shop_to_init:build", "--args", '{"rows": 3000}']
    assert call([*command, "--samples", "s.npz", "--out", "jobs/clicks.yaml"]) == 0
    job = load_job(folder / "jobs" / "clicks.yaml")
    assert job.model == "shop_to_init"
    assert (job.source.path, job.source.args) == ("..", {"rows": 3000})
    assert job.samples.file == "../s.npz"
    assert [(one.name, one.shape) for one in job.inputs] == [
        ("user", ("batch",)),
        ("dense", ("batch", 3)),
    ]
    text = (folder / "jobs" / "clicks.yaml").read_text()
    assert ": 3,000 x 8, 93.8 KiB, cut" in text


@pytest.mark.parametrize(
    ("made_by", "name"), [("build", "shop"), ("make", "shop"), ("clicks", "clicks")]
)
def test_a_model_is_named_after_what_makes_it_and_goes_to_the_usual_store(made_by, name, folder):
    module = f"shop_{made_by}_init"
    (folder / f"{module}.py").write_text(MODULE.replace("def build", f"def {made_by}"))
    frame = pd.DataFrame({"user": [0, 1, 1999]} | {f"dense_{at}": [0.5] * 3 for at in range(3)})
    frame.assign(clicked=[0, 1, 0]).to_csv("s.csv", index=False)
    command = ["init", "--factory", f"{module}:{made_by}", "--samples", "s.csv"]
    assert call([*command, "--out", "jobs/clicks.yaml"]) == 0
    assert call(["check", "jobs/clicks.yaml"]) == 0
    job = load_job(folder / "jobs" / "clicks.yaml")
    assert job.model == (module if name == "shop" else name)
    assert job.push.store == "../.pipeline/store"
    assert job.samples.columns == {"dense": ("dense_0", "dense_1", "dense_2")}
    assert job.samples.labels == "clicked"


def test_a_job_is_not_overwritten_unless_forced(onnx_file, folder, capsys):
    (folder / "job.yaml").write_text("mine")
    assert call(["init", "--onnx", "clicks.onnx"]) == 10
    assert "--force" in capsys.readouterr().err
    assert (folder / "job.yaml").read_text() == "mine"
    assert call(["init", "--onnx", "clicks.onnx", "--force"]) == 0
    assert (folder / "job.yaml").read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "one of --factory, --onnx, --program"),
        (["--onnx", "a", "--program", "b"], 2, "one of --factory, --onnx, --program"),
        (["--onnx", "gone.onnx"], 11, "gone.onnx"),
        (["--factory", "nocallable"], 10, "'nocallable': has to be `module:callable`"),
        (["--factory", "m:f", "--args", "{"], 10, "not JSON"),
        (["--factory", "m:f", "--path", "gone"], 10, "--path gone: there is no such folder"),
        (["--factory", "m:f", "--path", "\udcff"], 10, "no such folder"),
        (["--onnx", "\udcff.onnx"], 10, "not UTF-8, so no job file can name it"),
        (["--onnx", f"{'x' * 300}.onnx"], 22, "File name too long. Take a shorter name"),
        (["--factory", "m:f", "--args", "[1]"], 10, "not an object"),
        (["--factory", "no_such_module_here:f"], 11, "no_such_module_here"),
        (["--onnx", "gone.onnx", "--samples", "gone.npz"], 11, "gone.npz"),
    ],
)
def test_what_cannot_be_looked_at_is_said_and_nothing_written(
    arguments, code, message, folder, capsys
):
    assert call(["init", *arguments]) == code
    assert message in capsys.readouterr().err
    assert not (folder / "job.yaml").exists()
