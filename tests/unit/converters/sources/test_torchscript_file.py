"""Files of torch.jit.save, as sources."""

import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch

from converters.brief import RefusalError
from converters.programs.eager import to_torch
from converters.programs.files import load_program
from converters.sources.torchscript_file import SOURCE, ScriptOptions
from converters.split.policy import SplitOptions
from registry.errors import SourceError
from registry.progress import silent
from registry.signature import Axis, Ids, Input
from tests.models import MODELS

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit.:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
]


class Clicks(torch.nn.Module):
    """Looks a user up, and bags of tags; what it does depends on its sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.user = torch.nn.Embedding(1200, 8, padding_idx=3)
        self.tags = torch.nn.EmbeddingBag(1300, 4, mode="mean", include_last_offset=True)
        self.top = torch.nn.Sequential(torch.nn.Linear(14, 4), torch.nn.ReLU(), torch.nn.Dropout())
        self.scales = [0.5, 2.0]

    def forward(self, user, tags, tags_offsets, dense):
        seen = torch.cat([self.user(user), self.tags(tags, tags_offsets), dense], 1)
        found = self.top(seen)
        for at in range(dense.size(1)):
            found = found * self.scales[at] + dense[:, at : at + 1]
        if found.dim() != 2:
            raise ValueError(f"has {found.dim()} axes")
        return {"click": torch.sigmoid(found[:, 0]), "buy": found.view(user.size(0), -1)[:, 1:]}


class Doubled(torch.nn.Module):
    """Is right at any batch."""

    def forward(self, x):
        return x + x


class Writer(torch.nn.Module):
    """Writes a file whenever it answers."""

    def forward(self, x):
        torch.save(x, "/tmp/never-written.pt")
        return x


class Mapper(torch.nn.Module):
    """Reads a file of the host."""

    def forward(self, x):
        return x + torch.from_file("/etc/hostname", False, 4, dtype=torch.uint8)


INPUTS = (
    Input(name="user", dtype="int64", shape=("batch",), ids=Ids(cardinality=1200)),
    Input(name="tags", dtype="int64", shape=("total",), ids=Ids(cardinality=1300)),
    Input(name="tags_offsets", dtype="int64", shape=("ends",), offsets="tags", includes_last=True),
    Input(name="dense", dtype="float32", shape=("batch", 2)),
)
AXES = {"batch": Axis(max=64), "total": Axis(min=0, max=999), "ends": Axis(min=2, max=65)}
X = (Input(name="x", dtype="float32", shape=("batch", 4)),)


def arrays(batch):
    draw = np.random.default_rng(batch)
    return {
        "user": draw.integers(0, 1200, batch),
        "tags": draw.integers(0, 1300, 2 * batch),
        "tags_offsets": np.minimum(np.arange(batch + 1) * 3, 2 * batch),
        "dense": draw.normal(size=(batch, 2)).astype(np.float32),
    }


def saved(module, folder, brief_of, *, traced=None):
    """Write `model.ts` and say what a job would of it."""
    torch.manual_seed(7)
    made = torch.jit.trace(module.eval(), traced, strict=False) if traced else None
    (made or torch.jit.script(module.eval())).save(folder / "model.ts")
    return replace(brief_of, options=ScriptOptions(file="model.ts"), folder=folder)


def brief(inputs):
    return replace(MODELS["dlrm"].brief(), inputs=inputs, axes=AXES)


@pytest.mark.parametrize("traced", [False, True], ids=["scripted", "traced"])
def test_lookups_of_a_file_are_cut_and_its_answers_are_its_own(traced, tmp_path):
    module, few = Clicks(), arrays(3)
    inputs = tuple(torch.from_numpy(few[given.name]) for given in INPUTS)
    asked = saved(module, tmp_path, brief(INPUTS), traced=inputs if traced else None)
    split = SOURCE.split(asked, SplitOptions(), tmp_path / "out", silent)
    assert {(one.table, one.kind, one.padding) for one in split.lookups} == {
        ("user", "embedding", None),
        ("tags", "bag", None),
    }
    assert [tensor.name for tensor in split.signature.outputs] == ["click", "buy"]
    answer = SOURCE.answers(asked)
    program, _ = load_program(tmp_path / "out" / "dense")
    for batch in (1, 3, 7):
        given = arrays(batch)
        inputs = [to_torch(given[one.name], one.dtype) for one in INPUTS]
        user, tags = module.user(inputs[0]), module.tags(inputs[1], inputs[2])
        values = {"emb__user__0": user, "emb__tags__0": tags, "dense": inputs[3]}
        names = program.graph_signature.user_inputs
        found = program.module()(*(values[name] for name in names))
        wanted, told = module(*inputs), answer(given)
        for at, name in enumerate(("click", "buy")):
            leaf = found[name] if isinstance(found, dict) else found[at]
            assert torch.equal(leaf, wanted[name])
            assert np.array_equal(told[name], wanted[name].detach().numpy())
    with pytest.raises(RefusalError):
        answer(arrays(2) | {"user": np.array([1, 1200])})


def test_inspection_reads_tables_and_inputs(tmp_path):
    saved(Clicks(), tmp_path, brief(INPUTS))
    found = SOURCE.inspect(ScriptOptions(file="model.ts"), tmp_path, arrays(4))
    assert [one.name for one, _ in found.inputs] == ["user", "tags", "tags_offsets", "dense"]
    assert found.tables == (("user", 1200, 8), ("tags", 1300, 4))
    assert found.inputs[2][0].offsets == "tags"
    assert found.inputs[2][0].includes_last
    assert found.outputs == ("click", "buy")


@pytest.mark.parametrize(
    ("module", "said"),
    [(Writer(), r"writes a file \(aten::save\)"), (Mapper(), r"makes a file \(aten::from_file\)")],
    ids=["writes", "reads"],
)
def test_a_file_that_does_more_than_compute_is_not_loaded(module, said, tmp_path):
    asked = saved(module, tmp_path, brief(X))
    with pytest.raises(SourceError, match=said):
        SOURCE.answers(asked)
    with pytest.raises(SourceError, match=r"was not loaded: code/.*\.py "):
        SOURCE.split(asked, SplitOptions(), tmp_path / "out", silent)


def test_operators_that_are_not_torchs_own_are_refused_by_name(tmp_path):
    asked = saved(Doubled(), tmp_path, brief(X))
    with zipfile.ZipFile(tmp_path / "model.ts") as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "model.ts", "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data.replace(b"torch.add(", b"ops.quantized.add("))
    with pytest.raises(SourceError, match="runs quantized::add, which is no operator of torch"):
        SOURCE.answers(asked)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "cut short, or not a TorchScript file"), (b"PK\3\4rest", "cut short, or not")],
)
def test_what_is_no_torchscript_is_refused(data, said, tmp_path):
    (tmp_path / "model.ts").write_bytes(data)
    with pytest.raises(SourceError, match=said):
        SOURCE.inspect(ScriptOptions(file="model.ts"), tmp_path, {})


def test_another_file_of_torch_is_told_where_it_belongs(tmp_path):
    torch.save({"w": torch.ones(2)}, tmp_path / "model.ts")
    with pytest.raises(SourceError, match="a checkpoint belongs under `weights`"):
        SOURCE.inspect(ScriptOptions(file="model.ts"), tmp_path, {})
    program = torch.export.export(Doubled(), (torch.ones(2, 4),))
    torch.export.save(program, tmp_path / "program.pt2")
    with pytest.raises(SourceError, match="write kind: program"):
        SOURCE.inspect(ScriptOptions(file="program.pt2"), tmp_path, {})


def test_a_batch_that_a_trace_baked_in_is_told(tmp_path):
    class Free(torch.nn.Module):
        def forward(self, x):
            return x.reshape(x.shape[0], 2, 2) + torch.zeros(x.shape[0] * 2 // 2, 1, 1)

    class Fixed(torch.nn.Module):
        def forward(self, x):
            return x.reshape(3, 2, 2)

    asked = saved(Free(), tmp_path, brief(X), traced=(torch.ones(3, 4),))
    SOURCE.split(asked, SplitOptions(), tmp_path / "out", silent)
    asked = saved(Fixed(), tmp_path, brief(X), traced=(torch.ones(3, 4),))
    with pytest.raises(SourceError, match="batch"):
        SOURCE.split(asked, SplitOptions(), tmp_path / "out", silent)


def test_a_node_that_cannot_be_traced_is_named_with_its_line(tmp_path):
    class Forked(torch.nn.Module):
        def forward(self, x):
            return torch.jit.wait(torch.jit.fork(torch.relu, x)) + x

    asked = saved(Forked(), tmp_path, brief(X))
    with pytest.raises(SourceError, match=r"the TorchScript has prim::fork, which .*fork"):
        SOURCE.split(asked, SplitOptions(), tmp_path / "out", silent)
