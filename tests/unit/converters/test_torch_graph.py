"""Graphs of torch that are written answer as before when they are read, by this torch too."""

import json
import math
import operator

import numpy as np
import pytest
import torch

from converters import torch_to_torch_graph
from converters.converter import ConvertOptions
from converters.onnx_to_torch.layers.softmaxes import lay_out_softmaxes
from converters.onnx_to_torch.layers.sums import part_sums
from converters.onnx_to_torch.sizes import known
from converters.programs.files import save_program
from converters.quiet import quiet
from converters.torch_graph.files import load_graph
from converters.torch_graph.functions import function_of, name_of
from converters.torch_graph.layers import use_stored_weights
from converters.torch_graph.values import read_value, write_value
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.signature import DType, Signature, Tensor
from tests.composing import split_model
from tests.models import MODELS

SIZES = (1, 5, 9)


@pytest.fixture(scope="module", params=["dlrm", "bert", "branches", "picture"])
def carried(request, tmp_path_factory):
    """Write the dense part of a model; give its folder, the model, and its split."""
    folder = tmp_path_factory.mktemp(request.param)
    model = MODELS[request.param]
    made = split_model(model, folder)
    options = ConvertOptions(axes=model.axes, inputs=model.inputs)
    torch_to_torch_graph.convert(folder / made.split.dense.folder, folder / "out", options)
    return folder / "out", model, made


def errors(module, model, made):
    """Yield how far a module is off the dense part."""
    for size in SIZES:
        arrays = model.arrays(size)
        known_values = {**arrays, **made.composed.vectors(arrays)}
        names = [tensor.name for tensor in made.composed.signature.inputs]
        given = (torch.from_numpy(np.ascontiguousarray(known_values[name])) for name in names)
        # Branches are scripted when they run, and torch warns of that.
        with torch.no_grad(), quiet("torchscript"):
            found = module(*given)
        for one, wanted in zip(found, made.composed.run(arrays), strict=True):
            assert one.shape == wanted.shape
            yield float((one - wanted).abs().max())


def test_it_answers_as_before_at_every_size(carried):
    folder, model, made = carried
    assert max(errors(load_graph(folder)[0], model, made)) < 1e-6


def test_products_and_convolutions_by_stored_weights_become_layers(carried):
    folder, model, made = carried
    module = load_graph(folder)[0]
    use_stored_weights(module)
    assert max(errors(module, model, made)) < 1e-5
    kinds = {type(layer).__name__ for layer in module.modules()}
    wanted = {
        "dlrm": {"Linear"},
        "bert": {"Linear"},
        "picture": {"Linear", "Conv2d"},
        "branches": set(),
    }
    assert wanted[folder.parent.name[:-1]] == kinds & {"Linear", "Conv2d"}


def test_a_normalisation_goes_into_the_filters_before_it(tmp_path):
    torch.manual_seed(0)
    layers = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3, stride=2, padding=1, bias=False), torch.nn.BatchNorm2d(4)
    ).eval()
    layers[1].running_mean.uniform_(-1, 1)
    x = torch.randn(2, 3, 8, 8)
    signature = Signature(
        inputs=(Tensor(name="x", dtype=DType.FLOAT32, shape=(2, 3, 8, 8)),),
        outputs=(Tensor(name="y", dtype=DType.FLOAT32, shape=(2, 4, 4, 4)),),
    )
    save_program(torch.export.export(layers, (x,)), tmp_path / "program", signature)
    torch_to_torch_graph.convert(tmp_path / "program", tmp_path / "graph", ConvertOptions())
    module = load_graph(tmp_path / "graph")[0]
    use_stored_weights(module)
    assert [node.op for node in module.graph.nodes] == ["placeholder", "call_module", "output"]
    with torch.no_grad():
        torch.testing.assert_close(module(x)[0], layers(x))


@pytest.mark.parametrize(
    "function",
    [
        torch.ops.aten.linear.default,
        torch.ops.aten.add.Tensor,
        torch.reshape,
        torch.Tensor.view,
        torch._C._nn.gelu,
        operator.floordiv,
        math.ceil,
        torch.sym_max,
        known,
    ],
    ids=lambda function: function.__name__,
)
def test_a_function_is_found_by_its_name(function):
    assert function_of(name_of(function)) is function


def test_a_function_that_no_other_torch_knows_is_refused():
    with pytest.raises(ConversionError, match="no name that another torch knows"):
        name_of(print)


@pytest.mark.parametrize("name", ["aten::of_the_future.default", "torch.nothing", "os:system"])
def test_a_function_that_is_not_there_is_refused_by_name(name):
    with pytest.raises(ConversionError, match=rf"torch 2\.\S+ has no {name}: take `via: onnx`"):
        function_of(name)


def test_values_are_read_as_they_were_written():
    values = [
        (1, [2.5, -math.inf], None, True, "sum"),
        slice(None, 3, 2),
        torch.float16,
        torch.channels_last,
        torch.strided,
        torch.device("cpu"),
    ]
    text = json.dumps(write_value(values))
    assert read_value(json.loads(text), {}) == values


def test_a_value_that_is_not_told_is_refused():
    with pytest.raises(ConversionError, match="takes 1j, which no other version of torch is told"):
        write_value(1j)


def test_a_graph_that_was_cut_short_is_a_fault(carried, tmp_path):
    text = (carried[0] / ENTRY[Format.TORCH_GRAPH]).read_text()
    (tmp_path / ENTRY[Format.TORCH_GRAPH]).write_text(text[: len(text) // 2])
    (fault,) = torch_to_torch_graph.inspect(tmp_path)
    assert "cannot be read back" in fault


def test_a_softmax_of_a_product_reads_a_contiguous_tensor():
    gate = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Softmax(dim=1)).eval()
    module = torch.export.export(gate, (torch.ones(4, 2),)).module()
    lay_out_softmaxes(module)
    module.recompile()
    assert "contiguous" in [str(node.target) for node in module.graph.nodes]
    assert torch.equal(module(torch.ones(4, 2)), gate(torch.ones(4, 2)))


class Scored(torch.nn.Module):
    """Products with what is added to them: before and behind, and to themselves."""

    def forward(self, a, b, bias):
        scores = torch.bmm(a, b)
        other = torch.einsum("bmd,bde->bme", a, b)
        return scores + bias, bias + other, torch.add(other, other, alpha=2), scores * 2


def test_no_product_of_computed_tensors_is_read_by_a_sum():
    given = (torch.ones(2, 4, 3), torch.ones(2, 3, 5), torch.arange(5.0))
    module = torch.export.export(Scored(), given).module()
    part_sums(module)
    module.recompile()
    read = {
        str(product.target)
        for node in module.graph.nodes
        if str(node.target).startswith("aten.add")
        for product in node.all_input_nodes
    }
    assert not read & {"aten.bmm.default", "aten.einsum.default"}
    assert "contiguous" in read
    for found, wanted in zip(module(*given), Scored()(*given), strict=True):
        assert torch.equal(found, wanted)
