import os
from dataclasses import replace

import pytest
import torch

from converters.programs.export import export_program
from converters.programs.signature import program_signature
from converters.sources.source import Brief, SourceOptions
from registry.errors import SourceError
from registry.signature import Axis, Ids, Input
from tests.models import MODELS


def brief(*inputs, outputs=(), tmp="."):
    axes = {
        dim: Axis(min=1, max=256) for one in inputs for dim in one.shape if isinstance(dim, str)
    }
    return Brief(SourceOptions(), tmp, inputs, axes, outputs)


def floats(name="x", *shape):
    return Input(name=name, dtype="float32", shape=shape or ("batch", 2))


class Ranker(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.item = torch.nn.Embedding(100, 8)
        self.bag = torch.nn.EmbeddingBag(50, 8, mode="sum", include_last_offset=True)
        self.out = torch.nn.Linear(20, 1)

    def forward(self, x, item, values, ends):
        parts = [self.item(item), self.bag(values, ends), x]
        return {"score": self.out(torch.cat(parts, 1)).squeeze(1), "raw": (x, None)}


RANKER = (
    Input(name="item", dtype="int64", shape=("batch",), ids=Ids(cardinality=100)),
    Input(name="values", dtype="int64", shape=("n",), ids=Ids(cardinality=50)),
    Input(name="ends", dtype="int64", shape=("ends",), offsets="values", includes_last=True),
    floats("x", "batch", 4),
)


def test_inputs_keep_the_jobs_order_and_axes_whatever_the_order_of_forward():
    program = export_program(Ranker(), brief(*RANKER))
    assert program.graph_signature.user_inputs == ("item", "values", "ends", "x")
    signature = program_signature(program, brief(*RANKER))
    assert str(signature) == (
        "(item: int64[batch], values: int64[n], ends: int64[ends], x: float32[batch, 4])"
        " -> (score: float32[batch], raw_0: float32[batch, 4])"
    )


def test_a_program_answers_like_the_module_at_other_sizes():
    model = Ranker()
    program = export_program(model, brief(*RANKER))
    x = torch.randn(3, 4)
    item, values, ends = torch.tensor([1, 2, 99]), torch.arange(9), torch.tensor([0, 0, 4, 9])
    answer = program.module()(item, values, ends, x)["score"]
    assert torch.equal(answer, model.eval()(x, item, values, ends)["score"])


def test_a_module_in_training_mode_is_exported_in_eval_mode_and_given_back_as_it_was():
    model = torch.nn.Sequential(torch.nn.Dropout(0.5)).train()
    program = export_program(model, brief(floats("input")))
    assert torch.equal(program.module()(torch.ones(7, 2)), torch.ones(7, 2))
    assert model.training
    assert "forward" not in vars(model)


def test_inputs_go_by_position_where_forward_knows_none_of_the_names():
    class Subtract(torch.nn.Module):
        def forward(self, a, b):
            return a - b

    program = export_program(Subtract(), brief(floats("first"), floats("second.part")))
    one, two = torch.ones(3, 2), torch.full((3, 2), 5.0)
    assert torch.equal(program.module()(one, two), one - two)


class Baked(torch.nn.Module):
    def forward(self, x):
        return x.reshape(5, 2) * 2


def test_a_baked_batch_is_named_with_its_line():
    with pytest.raises(
        SourceError, match=r"axis 'batch' is baked in at 5 by .*test_export.py:\d+ "
    ):
        export_program(Baked(), brief(floats()))


def test_a_batch_that_a_weight_fixes_is_asked_about():
    class Fixed(torch.nn.Module):
        def forward(self, x):
            return x + torch.ones(32, 2)

    with pytest.raises(SourceError, match=r"test_export.py:\d+ .*Is axis 'batch' baked in\?"):
        export_program(Fixed(), brief(floats()))


def test_an_axis_with_a_limit_names_the_limit():
    class Limited(torch.nn.Module):
        def forward(self, x):
            return x + torch.arange(10)[: x.shape[0], None]

    with pytest.raises(
        SourceError, match=r"'batch' can only go up to 10.*set axes.batch.max to 10"
    ):
        export_program(Limited(), brief(floats()))


def test_two_names_for_one_axis_are_refused():
    class Same(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    given = (floats("x", "batch", 2), floats("y", "rows", 2))
    with pytest.raises(SourceError, match="If batch and rows are one axis, give them one name"):
        export_program(Same(), brief(*given))


def test_control_flow_on_values_is_refused_by_its_line():
    class Branch(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                return x + 1
            return x

    with pytest.raises(SourceError, match=r"test_export.py:\d+ \(if x.sum\(\) > 0:\)"):
        export_program(Branch(), brief(floats()))


def test_a_forward_that_raises_is_named_with_module_and_line():
    model = torch.nn.Sequential(torch.nn.Linear(3, 2))
    with pytest.raises(SourceError, match=r"in module '0'.*RuntimeError"):
        export_program(model, brief(floats("input")))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("item", "x", "value", "ends"), "did you mean 'values' instead of 'value'"),
        (("x", "item", "values"), "add an input named 'ends'"),
        (("a", "b"), "at least 4"),
    ],
)
def test_inputs_that_forward_does_not_take_are_refused(names, said):
    with pytest.raises(SourceError, match=said):
        export_program(Ranker(), brief(*(floats(name) for name in names)))


def test_a_recurrent_layer_keeps_its_sequence_symbolic():
    class Recurrent(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = torch.nn.GRU(4, 8, batch_first=True)

        def forward(self, x):
            return self.cell(x)[0][:, -1]

    program = export_program(Recurrent(), brief(floats("x", "batch", "time", 4)))
    assert program.module()(torch.randn(3, 11, 4)).shape == (3, 8)


def test_a_wrong_number_of_output_names_is_refused():
    given = brief(*RANKER, outputs=("only",))
    with pytest.raises(SourceError, match="returns 2 outputs"):
        program_signature(export_program(Ranker(), given), given)


def test_an_output_that_has_the_name_of_an_input_is_refused():
    class Echo(torch.nn.Module):
        def forward(self, x):
            return {"x": x * 2}

    asked = brief(floats("x", "batch", 3))
    program = export_program(Echo(), asked)
    with pytest.raises(SourceError, match=r"'x' is an input and an output.*in `outputs`"):
        program_signature(program, asked)


def test_an_output_of_a_type_that_the_platform_lacks_is_refused():
    class Complex(torch.nn.Module):
        def forward(self, x):
            return torch.fft.rfft(x)

    given = brief(floats())
    with pytest.raises(SourceError, match=r"output .output. is of element type complex64"):
        program_signature(export_program(Complex(), given), given)


def test_an_output_that_is_no_tensor_is_refused():
    class Count(torch.nn.Module):
        def forward(self, x):
            return x, 3

    given = brief(floats())
    with pytest.raises(SourceError, match=r"output 1 of the model is .*, not a tensor"):
        program_signature(export_program(Count(), given), given)


def test_a_nested_input_is_refused_by_the_line_that_takes_it_apart():
    class Nested(torch.nn.Module):
        def forward(self, features):
            return features["x"] + 1

    with pytest.raises(SourceError, match=r"test_export.py:\d+ \(return features\["):
        export_program(Nested(), brief(floats("features")))


def test_nothing_is_printed(capsys):
    with pytest.raises(SourceError):
        export_program(Baked(), brief(floats()))
    assert capsys.readouterr() == ("", "")
    assert not os.environ.get("TORCH_LOGS")


class Weighed(torch.nn.Module):
    """Bags alone: no input has their number as an axis."""

    def __init__(self):
        super().__init__()
        self.bag = torch.nn.EmbeddingBag(50, 8, mode="sum", include_last_offset=True)
        self.out = torch.nn.Linear(8, 1)

    def forward(self, values, ends, weights):
        return self.out(self.bag(values, ends, per_sample_weights=weights))


def test_one_bag_is_enough_where_no_input_has_the_axis_of_bags():
    inputs = (*RANKER[1:3], floats("weights", "n"))
    model = Weighed()
    given = brief(*inputs)
    given.axes["ends"] = Axis(min=2, max=100)
    program = export_program(model, given)
    signature = program_signature(program, given)
    assert str(signature.outputs[0]) == "output: float32[ends_minus_1, 1]"
    one = torch.arange(4), torch.tensor([0, 4]), torch.rand(4)
    answer = program.module(check_guards=False)(*one)
    assert torch.equal(answer, model.eval()(*one))


def test_a_range_is_told_by_the_end_that_is_wrong():
    class Long(torch.nn.Module):
        def forward(self, x):
            return x[:, 3] + x.sum(1)

    with pytest.raises(
        SourceError, match=r"'width' can only go from 4 .*set axes\.width\.min to 4$"
    ):
        export_program(Long(), brief(floats("x", "batch", "width")))


class Padded(torch.nn.Module):
    """Fills up what is no multiple of 20, a branch on the size."""

    def forward(self, picture):
        if picture.shape[2] % 20:
            picture = torch.nn.functional.pad(picture, (0, 0, 0, 20 - picture.shape[2] % 20))
        return picture.mean(2)


@pytest.mark.parametrize(
    ("build", "least", "said"),
    [
        (MODELS["pyramid"].build, 1, r"'width' is halved and doubled.*multiples of 4: axes.width"),
        (Padded, 20, r"'height' can only be a multiple of 20.*axes.height.multiple_of to 20"),
    ],
)
def test_sizes_that_are_multiples_of_a_number_are_pointed_out(build, least, said):
    sides = {name: Axis(min=least, max=64) for name in ("height", "width")}
    model = replace(MODELS["pyramid"], build=build, axes={"batch": Axis(), **sides})
    with pytest.raises(SourceError, match=said):
        export_program(model.module(), model.brief())
    steps = {name: Axis(min=20, max=60, multiple_of=20) for name in sides}
    model = replace(model, axes={"batch": Axis(), **steps})
    assert export_program(model.module(), model.brief())
