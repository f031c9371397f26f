"""An exported program as a graph to cut."""

import pytest
import torch
from torch import nn

from converters.brief import Brief
from converters.programs.export import export_program
from converters.sources.source import SourceOptions
from converters.split.body import unlift
from registry.signature import Axis, DType, Input
from tests.models import MODELS


def body_of(name: str):
    model = MODELS[name]
    return unlift(export_program(model.module(), model.brief()))


def test_the_program_itself_is_left_alone():
    model = MODELS["dlrm"]
    program = export_program(model.module(), model.brief())
    before = str(program.graph)
    body = unlift(program)
    body.graph.erase_node(next(node for node in reversed(body.graph.nodes) if not node.users))
    assert str(program.graph) == before


def test_weights_are_the_very_tensors_of_the_program():
    model = MODELS["dlrm"]
    program = export_program(model.module(), model.brief())
    held = {weight.keys[0]: weight.tensor for weight in unlift(program).weights.values()}
    assert held["user.weight"].data_ptr() == program.state_dict["user.weight"].data_ptr()


def test_a_tensor_with_two_names_is_one_weight():
    keys = [weight.keys for weight in body_of("tied").weights.values()]
    assert ("table.weight", "out.weight") in keys


def test_parameters_are_told_from_buffers():
    learned = {weight.keys[0]: weight.learned for weight in body_of("deepfm").weights.values()}
    assert learned["second.weight"] is True
    assert learned["starts"] is False


def test_nothing_works_in_place_any_more():
    targets = [str(node.target) for node in body_of("in_place").graph.nodes]
    assert "aten.index_put.default" in targets
    assert not [
        target
        for target in targets
        if target.split(".")[1:2] and target.split(".")[1].endswith("_")
    ]


class Counting(nn.Module):
    """Counts its calls in a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, numbers):
        self.calls.add_(1)
        return numbers * 2


def test_changes_to_buffers_are_dropped_with_a_remark():
    program = torch.export.export(Counting(), (torch.zeros(2),))
    body = unlift(program)
    output = next(node for node in body.graph.nodes if node.op == "output")
    assert len(output.args[0]) == 1
    assert any("calls" in remark.text for remark in body.remarks)


class Adding(nn.Module):
    """Adds what a recurrent layer found to zeros, in place."""

    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.layer = kind(4, 3, batch_first=True)

    def forward(self, steps):
        found, _ = self.layer(steps)
        return torch.zeros(steps.shape[0], 3).add_(found[:, -1])


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_the_length_of_a_sequence_stays_free_where_something_else_works_in_place(kind):
    given = Input(name="steps", dtype=DType.FLOAT32, shape=("batch", "length", 4))
    axes = {"batch": Axis(max=64), "length": Axis(max=24)}
    body = unlift(export_program(Adding(kind), Brief(SourceOptions(), ".", (given,), axes)))
    batch, length, _ = body.inputs[0].meta["val"].shape
    assert isinstance(batch, torch.SymInt)
    assert length.node.expr.free_symbols


def test_constants_get_names_of_their_own():
    body = body_of("bag_sum")
    first, second = (body.add_constant("same", torch.ones(1)) for _ in range(2))
    assert first != second
    assert first in body.weights
    assert second in body.weights
