"""Shapes that are computed stay computed: run, traced at one size, and exported."""

import pytest
import torch

GRAPHS = {
    "a batch is flattened by arithmetic of its sizes": (
        """g (float[b, t, 4] x) => (float[n, 2] y) {
          two = Constant <value = int64 {2}> ()
          one = Constant <value = int64[1] {2}> ()
          sizes = Shape (x)
          zeroth = Constant <value = int64 {0}> ()
          first = Constant <value = int64[1] {1}> ()
          axes = Constant <value = int64[1] {0}> ()
          b = Gather (sizes, zeroth)
          t = Gather (sizes, first)
          b2 = Mul (b, two)
          b1 = Unsqueeze (b2, axes)
          n = Mul (b1, t)
          shape = Concat <axis = 0> (n, one)
          y = Reshape (x, shape)
        }""",
        lambda x: x.reshape(-1, 2),
    ),
    "the half of a sequence is cut off": (
        """g (float[b, t, 4] x) => (float[b, h, 4] y) {
          t = Shape <start = 1, end = 2> (x)
          two = Constant <value = int64[1] {2}> ()
          one = Constant <value = int64[1] {1}> ()
          half = Div (t, two)
          y = Slice (x, half, t, one)
        }""",
        lambda x: x[:, x.shape[1] // 2 :],
    ),
    "a sequence is read backwards": (
        """g (float[b, t, 4] x) => (float[b, t, 4] y) {
          last = Constant <value = int64[1] {-1}> ()
          beyond = Constant <value = int64[1] {-9223372036854775807}> ()
          one = Constant <value = int64[1] {1}> ()
          y = Slice (x, last, beyond, one, last)
        }""",
        lambda x: x.flip(1),
    ),
    "places are numbered and added": (
        """g (float[b, t, 4] x) => (float[b, t, 4] y) {
          zero = Constant <value = int64 {0}> ()
          step = Constant <value = int64 {1}> ()
          axes = Constant <value = int64[1] {1}> ()
          t = Shape <start = 1, end = 2> (x)
          scalar = Squeeze (t)
          places = Range (zero, scalar, step)
          floats = Cast <to = 1> (places)
          column = Unsqueeze (floats, axes)
          y = Add (x, column)
        }""",
        lambda x: x + torch.arange(x.shape[1]).float().unsqueeze(1),
    ),
    "a row is expanded and masked": (
        """g (float[b, t, 4] x) => (float[b, t, 4] y) {
          sizes = Shape (x)
          ones = ConstantOfShape <value = float[1] {2.0}> (sizes)
          four = Constant <value = float[4] {1.0, 2.0, 3.0, 4.0}> ()
          wide = Expand (four, sizes)
          sum = Add (ones, wide)
          y = Mul (sum, x)
        }""",
        lambda x: (torch.arange(1.0, 5.0) + 2) * x,
    ),
    "an image is resized to twice its size": (
        """g (float[b, t, 4] x) => (float[b, 1, u, 8] y) {
          axes = Constant <value = int64[1] {1}> ()
          image = Unsqueeze (x, axes)
          sizes = Shape (image)
          by = Constant <value = int64[4] {1, 1, 2, 2}> ()
          twice = Mul (sizes, by)
          y = Resize <mode = "nearest", nearest_mode = "floor",
                      coordinate_transformation_mode = "asymmetric"> (image, , , twice)
        }""",
        lambda x: x.unsqueeze(1).repeat_interleave(2, 2).repeat_interleave(2, 3),
    ),
    "as much is padded as there is": (
        """g (float[b, t, 4] x) => (float[b, u, 4] y) {
          t = Shape <start = 1, end = 2> (x)
          none = Constant <value = int64[1] {0}> ()
          axes = Constant <value = int64[1] {1}> ()
          value = Constant <value_float = 7.0> ()
          pads = Concat <axis = 0> (none, t)
          y = Pad (x, pads, value, axes)
        }""",
        lambda x: torch.cat([x, torch.full_like(x, 7)], 1),
    ),
    "minus one in a shape is replaced as exporters do": (
        """g (float[b, t, 4] x) => (float[b, t, 4] y) {
          sizes = Shape (x)
          asked = Constant <value = int64[3] {-1, -1, 4}> ()
          minus = Constant <value = int64 {-1}> ()
          open = Equal (asked, minus)
          shape = Where (open, sizes, asked)
          one = Constant <value = float[1, 1, 1] {1.0}> ()
          ones = Expand (one, shape)
          y = Add (ones, x)
        }""",
        lambda x: x + 1,
    ),
    "a place that follows what is kept is a number of more axes": (
        """g (float[b, t, 4] x) => (float[b, t, 4] y) {
          length = Shape <start = 1, end = 2> (x)
          t = Squeeze (length)
          zero = Constant <value = int64[1] {0}> ()
          axes = Constant <value = int64[2] {0, 2}> ()
          place = Add (zero, t)
          wide = Unsqueeze (place, axes)
          factor = Cast <to = 1> (wide)
          y = Mul (x, factor)
        }""",
        lambda x: x * x.shape[1],
    ),
}


@pytest.fixture(params=GRAPHS)
def case(request, load):
    graph, wanted = GRAPHS[request.param]
    return load(graph), wanted


def assert_right(run, wanted):
    for batch, length in ((1, 2), (2, 5), (4, 9)):
        x = torch.rand(batch, length, 4)
        torch.testing.assert_close(run(x)[0], wanted(x))


def test_it_is_right_as_it_is(case):
    assert_right(*case)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_a_trace_at_one_size_is_right_at_others(case):
    module, wanted = case
    run = torch.jit.trace(module, (torch.rand(3, 4, 4),), check_trace=False)
    assert_right(run, wanted)
    assert_right(torch.jit.freeze(run.eval()), wanted)


def test_an_export_is_right_at_all_sizes(case):
    module, wanted = case
    dynamic = torch.export.Dim.DYNAMIC
    program = torch.export.export(
        module, (torch.rand(3, 6, 4),), dynamic_shapes=({0: dynamic, 1: dynamic},), strict=False
    )
    x = torch.rand(5, 8, 4)
    torch.testing.assert_close(program.module()(x)[0], wanted(x))


KEEPING = """
g (float[b, t, 4] x) => (float[b, t, 2, 2] y) {
  sizes = Shape <start = 0, end = 1> (x)
  narrow = Cast <to = 6> (sizes)
  rest = Constant <value = int32[3] {0, 2, -1}> ()
  joined = Concat <axis = 0> (narrow, rest)
  shape = Cast <to = 7> (joined)
  y = Reshape (x, shape)
}
"""


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_a_zero_in_a_shape_that_is_computed_keeps_its_axis_also_in_a_trace(load):
    module = load(KEEPING)
    run = torch.jit.trace(module, (torch.rand(3, 4, 4),), check_trace=False)
    for way in (module, run):
        assert_right(way, lambda x: x.reshape(*x.shape[:2], 2, 2))


def test_a_batch_of_none_is_reshaped_to_none(load):
    module = load(GRAPHS["a batch is flattened by arithmetic of its sizes"][0])
    assert module(torch.rand(0, 4, 4))[0].shape == (0, 2)
