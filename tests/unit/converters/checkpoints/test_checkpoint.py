import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from converters.checkpoints.checkpoint import find_bad, open_checkpoint, rows
from converters.checkpoints.weights import check_numbers, load_weights
from converters.programs.skeleton import build_skeleton
from registry.errors import SourceError
from tests.hostile_files import CHECKPOINTS, SAFETENSORS


class Net(torch.nn.Module):
    def __init__(self, rows=20):
        super().__init__()
        self.table = torch.nn.Embedding(rows, 4)
        self.out = torch.nn.Linear(4, rows, bias=False)
        self.register_buffer("steps", torch.arange(3), persistent=False)

    def forward(self, ids):
        return self.out(self.table(ids)) + self.steps.sum()


class Tied(Net):
    def __init__(self):
        super().__init__()
        self.out.weight = self.table.weight


WRITERS = {
    "weights.safetensors": save_file,
    "weights.pt": torch.save,
    "nested.pth": lambda state, file: torch.save({"state_dict": state, "epoch": 3}, file),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_checkpoint_gives_the_module_its_weights_by_mapping_them(name, tmp_path):
    trained = Net()
    WRITERS[name](trained.state_dict(), tmp_path / name)
    checkpoint = open_checkpoint(tmp_path / name)
    module = build_skeleton(Net)
    assert module.table.weight.is_meta
    load_weights(module, checkpoint)
    ids = torch.tensor([0, 19])
    assert torch.equal(module(ids), trained(ids))
    origin = checkpoint.find_origin("table.weight")
    assert np.array_equal(rows(origin, tmp_path), trained.table.weight.detach().numpy())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", WRITERS)
def test_rows_keep_their_type(name, dtype, tmp_path):
    table = torch.randn(7, 3).to(dtype)
    WRITERS[name]({"table": table}, tmp_path / name)
    found = rows(open_checkpoint(tmp_path / name).find_origin("table"), tmp_path)
    assert found.dtype.name == str(dtype).removeprefix("torch.")
    assert np.array_equal(found.astype("float64"), table.double().numpy())


def test_a_sharded_checkpoint_is_one(tmp_path):
    state = Net().state_dict()
    save_file({"table.weight": state["table.weight"]}, tmp_path / "a.safetensors")
    save_file({"out.weight": state["out.weight"]}, tmp_path / "b.safetensors")
    places = {"table.weight": "a.safetensors", "out.weight": "b.safetensors"}
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": places}))
    checkpoint = open_checkpoint(index)
    load_weights(build_skeleton(Net), checkpoint)
    assert {file.name for file in checkpoint.files} == {index.name, *places.values()}


def test_a_shard_outside_the_folder_is_refused(tmp_path):
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"weight": "../secret.safetensors"}}))
    with pytest.raises(SourceError, match="outside its folder"):
        open_checkpoint(index)


def test_prefixes_of_data_parallel_training_are_taken_off_and_told(tmp_path):
    torch.save({f"module.{k}": v for k, v in Net().state_dict().items()}, tmp_path / "w.pt")
    checkpoint = open_checkpoint(tmp_path / "w.pt")
    remarks = load_weights(build_skeleton(Net), checkpoint)
    assert "'module.' was taken off" in remarks[0].text
    assert checkpoint.find_origin("table.weight").key == "module.table.weight"


@pytest.mark.parametrize(
    "wrapped",
    [
        "_orig_mod.module.{}",
        "module._orig_mod.{}",
        "_fsdp_wrapped_module._checkpoint_wrapped_module.{}",
    ],
)
def test_names_that_wrappers_of_torch_gave_are_taken_off_in_any_order(wrapped, tmp_path):
    torch.save({wrapped.format(k): v for k, v in Net().state_dict().items()}, tmp_path / "w.pt")
    checkpoint = open_checkpoint(tmp_path / "w.pt")
    remarks = load_weights(build_skeleton(Net), checkpoint)
    assert len(remarks) == 2
    assert checkpoint.find_origin("table.weight").key == wrapped.format("table.weight")


def test_a_module_that_was_compiled_in_part_is_bare_again(tmp_path):
    state = {k.replace("out.", "out._orig_mod."): v for k, v in Net().state_dict().items()}
    assert "out._orig_mod.weight" in state
    torch.save(state, tmp_path / "w.pt")
    (remark,) = load_weights(build_skeleton(Net), open_checkpoint(tmp_path / "w.pt"))
    assert remark.text == "'_orig_mod.' was taken off the names of weights in w.pt"


def test_a_running_average_of_weights_is_the_model_without_its_count(tmp_path):
    averaged = torch.optim.swa_utils.AveragedModel(Net())
    torch.save(averaged.state_dict(), tmp_path / "w.pt")
    remarks = load_weights(build_skeleton(Net), open_checkpoint(tmp_path / "w.pt"))
    assert "'n_averaged', of a running average, was left out" in remarks[0].text


def test_two_weights_that_would_take_one_name_keep_theirs(tmp_path):
    save_file({"a.w": torch.ones(2), "a._orig_mod.w": torch.ones(2)}, tmp_path / "w.safetensors")
    assert set(open_checkpoint(tmp_path / "w.safetensors").tensors) == {"a.w", "a._orig_mod.w"}


def test_tied_weights_stay_tied_though_the_file_has_them_once(tmp_path):
    save_file({"table.weight": torch.randn(20, 4)}, tmp_path / "w.safetensors")
    module = build_skeleton(Tied)
    load_weights(module, open_checkpoint(tmp_path / "w.safetensors"))
    assert module.out.weight is module.table.weight
    assert not module.out.weight.is_meta


def test_every_misfit_is_told_at_once(tmp_path):
    state = {"tabel.weight": torch.ones(20, 4), "out.weight": torch.ones(7, 4)}
    save_file(state | {"steps_done": torch.tensor(3)}, tmp_path / "w.safetensors")
    with pytest.raises(SourceError) as caught:
        load_weights(build_skeleton(Net), open_checkpoint(tmp_path / "w.safetensors"))
    said = str(caught.value)
    assert "missing: table.weight [20, 4] (the weights have 'tabel.weight')" in said
    assert "unexpected: steps_done []" in said
    assert "shape: out.weight is [7, 4] in the weights, [20, 4] in the model" in said


def test_integers_for_floats_are_refused_and_other_floats_are_cast(tmp_path):
    state = Net().state_dict()
    save_file(state | {"out.weight": torch.ones(20, 4).half()}, tmp_path / "half.safetensors")
    remarks = load_weights(build_skeleton(Net), open_checkpoint(tmp_path / "half.safetensors"))
    assert remarks[0].text == "1 weights were cast from float16 to float32"
    save_file(state | {"out.weight": torch.ones(20, 4).long()}, tmp_path / "int.safetensors")
    with pytest.raises(SourceError, match=r"type: out\.weight is int64"):
        load_weights(build_skeleton(Net), open_checkpoint(tmp_path / "int.safetensors"))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("value", "said"), [(float("nan"), "NaN"), (float("-inf"), "infinity")])
def test_weights_that_are_not_numbers_are_named(dtype, value, said, tmp_path):
    weight = torch.ones(20, 4, dtype=dtype)
    weight[3, 1] = value
    torch.save(Net().state_dict() | {"table.weight": weight}, tmp_path / "w.pt")
    checkpoint = open_checkpoint(tmp_path / "w.pt")
    assert find_bad(checkpoint) == {"table.weight": f"{said} at flat index 13"}
    with pytest.raises(SourceError, match=f"table.weight .{said} at flat index 13."):
        check_numbers(build_skeleton(Net), checkpoint)


def test_infinity_in_a_buffer_may_well_be_a_mask(tmp_path):
    module = torch.nn.Module()
    module.register_buffer("mask", torch.tensor([0.0, float("-inf")]))
    torch.save(module.state_dict(), tmp_path / "w.pt")
    check_numbers(module, open_checkpoint(tmp_path / "w.pt"))
    torch.save({"mask": torch.tensor([0.0, float("nan")])}, tmp_path / "w.pt")
    with pytest.raises(SourceError, match="mask"):
        check_numbers(module, open_checkpoint(tmp_path / "w.pt"))


def test_a_type_that_the_platform_lacks_is_named(tmp_path):
    torch.save({"phase": torch.ones(2, dtype=torch.complex64)}, tmp_path / "w.pt")
    with pytest.raises(
        SourceError, match="'phase': a tensor is of element type complex64, which no"
    ):
        open_checkpoint(tmp_path / "w.pt")


def test_sums_that_overflow_are_no_fault(tmp_path):
    torch.save({"w": torch.full((100,), 3e38)}, tmp_path / "w.pt")
    assert find_bad(open_checkpoint(tmp_path / "w.pt")) == {}


def test_a_view_is_read_through_its_strides(tmp_path):
    weight = torch.arange(12.0).reshape(3, 4)
    torch.save({"weight": weight.t(), "part": weight[1:]}, tmp_path / "w.pt")
    checkpoint = open_checkpoint(tmp_path / "w.pt")
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(torch.zeros(4, 3))
    module.part = torch.nn.Parameter(torch.zeros(2, 4))
    load_weights(module, checkpoint)
    assert torch.equal(module.weight, weight.t())
    assert torch.equal(module.part, weight[1:])
    assert checkpoint.find_origin("weight") is None
    assert np.array_equal(rows(checkpoint.find_origin("part"), tmp_path), weight[1:].numpy())


def test_a_factory_that_computes_with_its_weights_gets_them(tmp_path):
    class Scaled(Net):
        def __init__(self):
            super().__init__()
            self.scale = float(self.table.weight.abs().mean())
            self.kept = self.out.weight.detach() * 2

    assert not build_skeleton(Scaled).kept.is_meta


def test_a_module_never_writes_to_the_file(tmp_path):
    save_file(Net().state_dict(), tmp_path / "w.safetensors")
    before = (tmp_path / "w.safetensors").read_bytes()
    module = build_skeleton(Net)
    load_weights(module, open_checkpoint(tmp_path / "w.safetensors"))
    with torch.no_grad():
        module.table.weight += 1
    assert (tmp_path / "w.safetensors").read_bytes() == before


def test_a_folder_is_answered_with_the_file_to_name(tmp_path):
    for name in ("model-00001-of-00001.safetensors", "model.safetensors.index.json"):
        (tmp_path / name).touch()
    with pytest.raises(SourceError, match=r"is a folder; .*: model\.safetensors\.index\.json"):
        open_checkpoint(tmp_path)


def test_a_missing_file_is_told_with_what_is_there(tmp_path):
    (tmp_path / "weights.pt").touch()
    with pytest.raises(SourceError, match=r"did you mean weights\.pt"):
        open_checkpoint(tmp_path / "weight.pt")


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_hostile_checkpoint_is_refused_and_runs_nothing(name, tmp_path):
    CHECKPOINTS[name](tmp_path / "w.pt", tmp_path / "mark")
    with pytest.raises(SourceError, match=r"w\.pt: (holds|is damaged|is cut|was compressed)"):
        open_checkpoint(tmp_path / "w.pt")
    assert not (tmp_path / "mark").exists()


def test_a_pickle_that_wants_to_run_code_is_told_with_the_remedy(tmp_path):
    CHECKPOINTS["bomb_in_state_dict"](tmp_path / "w.pt", tmp_path / "mark")
    with pytest.raises(SourceError, match=r"posix\.system.*could run code.*torch\.save\(model"):
        open_checkpoint(tmp_path / "w.pt")


@pytest.mark.parametrize("name", SAFETENSORS)
def test_a_safetensors_file_that_lies_is_refused(name, tmp_path):
    (tmp_path / "w.safetensors").write_bytes(SAFETENSORS[name])
    with pytest.raises(SourceError, match=r"w\.safetensors: "):
        open_checkpoint(tmp_path / "w.safetensors")
