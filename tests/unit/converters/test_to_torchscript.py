"""What a trace alone would freeze stays as the model has it, whichever road it takes."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import TensorProto
from onnx.helper import make_graph, make_node, make_tensor, make_tensor_value_info
from torch._higher_order_ops.scan import scan

from converters import onnx_to_torchscript, torch_to_onnx, torch_to_torchscript
from converters.converter import ConvertOptions
from converters.programs.files import save_program
from converters.torchscript.of_program import traceable
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.signature import Axis, DType, Input, Signature, Tensor
from targets import torchscript
from targets.target import ThreadPlan
from tests.composing import split_model
from tests.models import MODELS
from tests.tiny_onnx import model, tensor, write


def opened(folder):
    assert torch_to_torchscript.inspect(folder) == ()
    return torchscript.load(folder, "f32", ThreadPlan(threads=1))


def branch() -> onnx.ModelProto:
    """Double what sums up to more than nothing, and negate the rest."""
    out = make_tensor_value_info("y", TensorProto.FLOAT, None)
    then = make_graph([make_node("Add", ["x", "x"], ["y"])], "then", [], [out])
    otherwise = make_graph([make_node("Neg", ["x"], ["y"])], "otherwise", [], [out])
    zero = make_node("Constant", [], ["zero"], value_float=0.0)
    return model(
        [
            zero,
            make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
            make_node("Greater", ["sum", "zero"], ["more"]),
            make_node("If", ["more"], ["y"], then_branch=then, else_branch=otherwise),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 2)],
        [tensor("y", TensorProto.FLOAT, "batch", 2)],
    )


def loop() -> onnx.ModelProto:
    """Add x up as often as it has rows, and keep every step."""
    info = make_tensor_value_info
    body = make_graph(
        [
            make_node("Identity", ["going"], ["on"]),
            make_node("Add", ["sum", "x"], ["more"]),
            make_node("Identity", ["more"], ["step"]),
        ],
        "body",
        [
            info("turn", TensorProto.INT64, []),
            info("going", TensorProto.BOOL, []),
            info("sum", TensorProto.FLOAT, None),
        ],
        [
            info("on", TensorProto.BOOL, []),
            info("more", TensorProto.FLOAT, None),
            info("step", TensorProto.FLOAT, None),
        ],
    )
    return model(
        [
            make_node("Shape", ["x"], ["rows"], start=0, end=1),
            make_node("Squeeze", ["rows"], ["turns"]),
            make_node("Constant", [], ["yes"], value=make_tensor("yes", TensorProto.BOOL, [], [1])),
            make_node("Loop", ["turns", "yes", "x"], ["total", "steps"], body=body),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 2)],
        [
            tensor("total", TensorProto.FLOAT, "batch", 2),
            tensor("steps", TensorProto.FLOAT, "batch", "batch", 2),
        ],
    )


@pytest.mark.parametrize("make", [branch, loop], ids=["branch", "loop"])
def test_branches_and_loops_go_as_the_inputs_say(make, tmp_path):
    made = make()
    folder = write(made, tmp_path / "onnx").parent
    onnx_to_torchscript.convert(folder, tmp_path / "out", ConvertOptions())
    # ONNX's own reference joins what a loop collects where it should stack.
    runner = opened(tmp_path / "out")
    reference = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for batch, sign in ((1, 1), (5, -1), (4, 1)):
        inputs = {"x": np.full((batch, 2), sign, np.float32)}
        for (name, found), wanted in zip(
            runner.run(inputs).items(), reference.run(None, inputs), strict=True
        ):
            np.testing.assert_allclose(found, wanted, err_msg=name)


@pytest.mark.parametrize("name", ["dlrm", "bag_mean", "bert", "branches"])
def test_a_program_keeps_its_free_axes_when_it_is_traced(name, tmp_path):
    made = split_model(MODELS[name], tmp_path)
    source = tmp_path / made.split.dense.folder
    torch_to_torchscript.convert(source, tmp_path / "out", ConvertOptions())
    runner = opened(tmp_path / "out")
    for size in (1, 5, 9):
        arrays = MODELS[name].arrays(size)
        known = {**arrays, **made.composed.vectors(arrays)}
        inputs = {tensor.name: known[tensor.name] for tensor in made.composed.signature.inputs}
        wanted = made.composed.run(arrays)
        for found, tensor_ in zip(runner.run(inputs).values(), wanted, strict=True):
            np.testing.assert_allclose(found, tensor_.numpy(), 1e-4, 1e-5)


class Branchy(torch.nn.Module):
    """Goes by what it is given and, where that is positive, by how much of it there is."""

    def forward(self, x):
        def positive(x):
            return torch.cond(x.shape[0] > 4, lambda x: x * x, lambda x: x.reshape(-1, 2) + 1, (x,))

        return torch.cond(x.sum() > 0, positive, lambda x: -x, (x,))


def written_program(module, folder):
    """Write a program of rows of two; give its folder."""
    rows = torch.export.Dim("rows", min=1, max=64)
    program = torch.export.export(module, (torch.ones(3, 2),), dynamic_shapes=({0: rows},))
    shape = ("rows", 2)
    signature = Signature(
        inputs=(Tensor(name="x", dtype=DType.FLOAT32, shape=shape),),
        outputs=(Tensor(name="y", dtype=DType.FLOAT32, shape=shape),),
    )
    save_program(program, folder, signature)
    return folder


def test_a_program_chooses_its_branch_in_every_call(tmp_path):
    source = written_program(Branchy(), tmp_path / "source")
    torch_to_torchscript.convert(source, tmp_path / "out", ConvertOptions())
    runner = opened(tmp_path / "out")
    for rows, sign in ((1, 1), (3, -1), (5, 3), (9, -2), (2, 2)):
        x = torch.full((rows, 2), float(sign))
        positive = x * x if rows > 4 else x + 1
        (found,) = runner.run({"x": x.numpy()}).values()
        np.testing.assert_allclose(found, (positive if sign > 0 else -x).numpy())


class Doubling(torch.nn.Module):
    """Doubles until there is enough, and halves what is too much."""

    def forward(self, x):
        def halve(x):
            return torch._higher_order_ops.while_loop(
                lambda x: x.amax() > 70, lambda x: (x / 2,), (x,)
            )

        def double(turns, x):
            return turns + 1, halve(x + x)[0]

        loop = torch._higher_order_ops.while_loop
        state = (torch.tensor(0), x)
        return loop(lambda turns, x: (x.sum() < 100) & (turns < x.shape[0] + 5), double, state)[1]


class Sums(torch.nn.Module):
    """Adds rows up, and keeps each sum."""

    def forward(self, x):
        def step(total, row):
            return total + row, (total + row) * 1.0

        return scan(step, torch.zeros(2), x)[1]


class Rows(torch.nn.Module):
    """Takes each row by its own sum."""

    def forward(self, x):
        return torch._higher_order_ops.map(lambda row: row * row.sum(), x)


class Ungraded(torch.nn.Module):
    """Keeps no gradients of one step."""

    def forward(self, x):
        with torch.no_grad():
            y = x.reshape(-1, 2) * x.shape[0]
        return y + x


@pytest.mark.parametrize("kind", [Doubling, Sums, Rows, Ungraded])
def test_a_program_loops_as_often_as_its_inputs_say(kind, tmp_path):
    source = written_program(kind(), tmp_path / "source")
    torch_to_torchscript.convert(source, tmp_path / "out", ConvertOptions())
    runner = opened(tmp_path / "out")
    for rows, size in ((1, 1), (3, 2), (7, 0.01), (2, 90)):
        x = torch.rand(rows, 2) * size
        (found,) = runner.run({"x": x.numpy()}).values()
        np.testing.assert_allclose(found, kind()(x).numpy(), 1e-6)


class Halved(torch.nn.Module):
    """Multiplies in half precision."""

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x.T


def test_what_takes_graphs_and_is_not_known_is_sent_through_onnx(tmp_path):
    program = torch.export.export(Halved(), (torch.ones(3, 2),))
    with pytest.raises(ConversionError, match=r"m\.pt2: holds wrap_with_autocast.*`via: onnx`"):
        traceable(program, tmp_path / "m.pt2")


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_that_stay_in_the_dense_part_are_looped_over(mode, tmp_path):
    class Bags(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = torch.nn.EmbeddingBag(10, 3, mode=mode)

        def forward(self, ids, starts):
            return self.bags(ids, starts)

    bags = Bags()
    dims = {name: {0: torch.export.Dim(name, min=2, max=64)} for name in ("ids", "starts")}
    example = (torch.arange(6), torch.tensor([0, 2, 3]))
    program = torch.export.export(bags, example, dynamic_shapes=dims)
    inputs = tuple(Tensor(name=n, dtype=DType.INT64, shape=(n,)) for n in dims)
    outputs = (Tensor(name="vectors", dtype=DType.FLOAT32, shape=("starts", 3)),)
    save_program(program, tmp_path / "source", Signature(inputs=inputs, outputs=outputs))
    torch_to_onnx.CONVERTER.convert(tmp_path / "source", tmp_path / "onnx", ConvertOptions())
    given = Input(name="starts", dtype=DType.INT64, shape=("starts",), offsets="ids")
    options = ConvertOptions(inputs=(given,))
    onnx_to_torchscript.convert(tmp_path / "onnx", tmp_path / "out", options)
    runner = opened(tmp_path / "out")
    for starts, count in (([0, 2, 2, 5], 9), ([0], 4), ([0, 0, 1, 2, 3, 4, 4], 6)):
        ids, begins = torch.randint(0, 10, (count,)), torch.tensor(starts)
        (found,) = runner.run({"ids": ids.numpy(), "starts": begins.numpy()}).values()
        np.testing.assert_allclose(found, bags(ids, begins).detach().numpy(), 1e-5, 1e-6)


def test_a_module_that_is_cut_short_is_a_fault(tmp_path):
    folder = write(branch(), tmp_path / "onnx").parent
    onnx_to_torchscript.convert(folder, tmp_path / "out", ConvertOptions())
    file = tmp_path / "out" / ENTRY[Format.TORCHSCRIPT]
    file.write_bytes(file.read_bytes()[:500])
    assert "cannot be read back" in onnx_to_torchscript.CONVERTER.inspect(tmp_path / "out")[0]


def test_a_free_axis_that_is_joined_by_hundreds_is_seen_to_be_free(tmp_path):
    """As speech models do: sizes of a wave that differ by few give as many frames."""
    pool = make_node(
        "AveragePool", ["wave"], ["frames"], kernel_shape=[400], strides=[320], pads=[200, 200]
    )
    made = model(
        [pool],
        [tensor("wave", TensorProto.FLOAT, "batch", 1, "samples")],
        [tensor("frames", TensorProto.FLOAT, "batch", 1, "count")],
    )
    write(made, tmp_path / "onnx")
    options = ConvertOptions(axes={"batch": Axis(), "samples": Axis(min=400, max=4000)})
    onnx_to_torchscript.convert(tmp_path / "onnx", tmp_path / "out", options)
    (frames,) = onnx_to_torchscript.read_signature(tmp_path / "out").outputs
    assert [isinstance(dim, int) for dim in frames.shape] == [False, True, False]
    wave = np.ones((2, 1, 1300), np.float32)
    assert opened(tmp_path / "out").run({"wave": wave})["frames"].shape == (2, 1, 5)
