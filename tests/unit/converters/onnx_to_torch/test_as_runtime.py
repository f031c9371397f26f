"""Nodes that ONNX Runtime once answered otherwise."""

import numpy as np
import onnxruntime
import pytest
import torch

NODES = {
    "a start before the first element is the first one, also backwards": (
        """g (float[n, 1] x) => (float[n, m] y) {
          back = Constant <value_ints = [-2]> ()
          axis = Constant <value_ints = [1]> ()
          step = Constant <value_ints = [-1]> ()
          y = Slice (x, back, back, axis, step)
        }""",
        [(3, 1)],
    ),
    "an exclusive sum over nothing is nothing": (
        """g (float[n, 2] x) => (float[n, 2] y) {
          axis = Constant <value_int = 0> ()
          y = CumSum <exclusive = 1> (x, axis)
        }""",
        [(0, 2)],
    ),
    "an exclusive sum backwards": (
        """g (float[n, 3] x) => (float[n, 3] y) {
          axis = Constant <value_int = -1> ()
          y = CumSum <exclusive = 1, reverse = 1> (x, axis)
        }""",
        [(2, 3)],
    ),
    "a batch of none is gathered from": (
        """g (float[n, 3] x) => (float[n, 1] y) {
          sizes = Shape <start = 0, end = 1> (x)
          ones = Constant <value_ints = [2, 1]> ()
          shape = Concat <axis = 0> (sizes, ones)
          places = ConstantOfShape <value = int64[1] {1}> (shape)
          y = GatherND <batch_dims = 1> (x, places)
        }""",
        [(0, 3)],
    ),
    "a batch of none has no greatest values": (
        "g (float[n, 3] x) => (float[n, 3] y) { y = Hardmax <axis = 0> (x) }",
        [(0, 3)],
    ),
    "a batch of none is normalised": (
        """g (float[n, 2, 3] x) => (float[n, 2, 3] y) <float[2] s = {2.0, 3.0}> {
          y = InstanceNormalization (x, s, s)
        }""",
        [(0, 2, 3)],
    ),
    "channels are normalised one by one": (
        """g (float[n, 2, 3] x) => (float[n, 2, 3] y) <float[2] s = {2.0, 3.0}> {
          y = InstanceNormalization (x, s, s)
        }""",
        [(2, 2, 3)],
    ),
    "cubic samples beyond the border weigh pixels on it": (
        """g (float[n, 1, 5, 6] x, float[n, 7, 7, 2] grid) => (float[n, 1, 7, 7] y) {
          y = GridSample <mode = "cubic", padding_mode = "border"> (x, grid)
        }""",
        [(2, 1, 5, 6), (2, 7, 7, 2)],
    ),
    "the state of an LSTM's cell is not clipped": (
        """g (float[2, n, 3] x, float[1, 8, 3] w, float[1, 8, 2] r, float[1, n, 2] h)
            => (float[2, 1, n, 2] y) {
          y = LSTM <hidden_size = 2, clip = 0.4> (x, w, r, , , h, h)
        }""",
        [(2, 4, 3), (1, 8, 3), (1, 8, 2), (1, 4, 2)],
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_answers_as_the_runtime_does(load, tmp_path, name):
    text, shapes = NODES[name]
    module = load(text)
    numbers = np.random.default_rng(0)
    inputs = [numbers.uniform(-3, 3, shape).astype(np.float32) for shape in shapes]
    session = onnxruntime.InferenceSession(
        tmp_path / "model.onnx", providers=["CPUExecutionProvider"]
    )
    given = dict(zip((value.name for value in session.get_inputs()), inputs, strict=True))
    (wanted,) = session.run(None, given)
    (got,) = module(*map(torch.from_numpy, inputs))
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got.numpy(), wanted, 1e-5, 1e-6)
