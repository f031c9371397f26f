"""What torch cannot show of sizes, and holds for all of them."""

import math

import onnxruntime
import pytest
import torch

from converters.programs.deferred import drop_shown
from converters.programs.export import export_program
from converters.programs.signature import program_signature
from converters.torch_to_onnx import export_onnx
from registry.errors import SourceError
from registry.signature import Axis, Input
from tests.unit.converters.programs.test_export import brief

HEADS, SIZE = 2, 8


class Decodes(torch.nn.Module):
    """One token's attention to what is kept, each key for two heads."""

    def forward(self, query, key, value, keys, values):
        keys, values = torch.cat([keys, key], 2), torch.cat([values, value], 2)
        found = torch.nn.functional.scaled_dot_product_attention(
            query, self.grouped(keys), self.grouped(values)
        )
        return found, keys, values

    def grouped(self, kept):
        batch, heads, length, size = kept.shape
        wide = kept[:, :, None].expand(batch, heads, 2, length, size)
        return wide.reshape(batch, heads * 2, length, size)


def floats(name, heads, length):
    return Input(name=name, dtype="float32", shape=("batch", heads, length, SIZE))


INPUTS = (
    floats("query", 2 * HEADS, 1),
    floats("key", HEADS, 1),
    floats("value", HEADS, 1),
    floats("keys", HEADS, "past"),
    floats("values", HEADS, "past"),
)


def tensors(batch, past):
    sizes = {"batch": batch, "past": past}
    return tuple(torch.randn([sizes.get(dim, dim) for dim in one.shape]) for one in INPUTS)


def test_a_decoder_of_grouped_keys_keeps_the_length_of_its_cache_free(tmp_path):
    told = brief(*INPUTS)
    program = export_program(Decodes(), told)
    signature = program_signature(program, told)
    assert signature.outputs[1].shape == ("batch", HEADS, "past + 1", SIZE)
    export_onnx(program, tmp_path / "model.onnx", signature)
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    for batch, past in ((1, 1), (2, 1), (1, 9), (3, 60)):
        given = tensors(batch, past)
        wanted = Decodes()(*given)
        names = [one.name for one in INPUTS]
        got = session.run(None, {name: one.numpy() for name, one in zip(names, given, strict=True)})
        for one, by_onnx, other in zip(program.module()(*given), got, wanted, strict=True):
            assert torch.equal(one, other)
            torch.testing.assert_close(torch.from_numpy(by_onnx), other)


class Checks(torch.nn.Module):
    def forward(self, x):
        torch._check(x.shape[1] * 3 <= x.shape[0] + 90)
        return x + 1


def deferred(batch, length):
    shapes = {"x": {0: torch.export.Dim("batch", max=batch), 1: torch.export.Dim("n", max=length)}}
    return torch.export.export(
        Checks(),
        (torch.zeros(5, 7),),
        dynamic_shapes=shapes,
        prefer_deferred_runtime_asserts_over_guards=True,
    )


def test_a_condition_that_holds_for_all_sizes_is_taken_out():
    program = deferred(9, 30)
    drop_shown(program)
    assert "assert_scalar" not in program.graph_module.code
    assert program.module()(torch.zeros(1, 30)).shape == (1, 30)


def test_a_condition_that_some_sizes_break_is_refused():
    with pytest.raises(SourceError, match="not for all sizes that the axes may have"):
        drop_shown(deferred(9, 31))


class Counts(torch.nn.Module):
    """Compute once for each 128 rows, and count these in Python."""

    def forward(self, x):
        return x * math.ceil(x.shape[0] / 128)


def test_a_count_that_python_takes_of_a_size_is_not_the_examples_for_all_sizes():
    program = export_program(Counts(), brief(Input(name="x", dtype="float32", shape=("batch", 2))))
    for rows, count in ((1, 1), (128, 1), (129, 2), (256, 2)):
        assert torch.equal(
            program.module()(torch.ones(rows, 2)), torch.full((rows, 2), count * 1.0)
        )


def test_the_range_that_a_model_cannot_answer_is_still_named():
    class Long(torch.nn.Module):
        def forward(self, x):
            return x[:, :3] * (2 if x.shape[1] > 3 else 1)

    given = Input(name="x", dtype="float32", shape=("batch", "length"))
    told = brief(given)
    told.axes["length"] = Axis(min=1, max=9)
    with pytest.raises(SourceError, match=r"axis 'length' can only go from 4"):
        export_program(Long(), told)
