"""Products and convolutions by stored weights are layers of torch.nn that share the weights."""

import pytest
import torch
from torch import nn

from registry.errors import ConversionError

W = "float[2, 3] w = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}"
B = "float[3] b = {7.0, 8.0, 9.0}"
K = "float[1, 1, 2, 2] k = {1.0, 2.0, 3.0, 4.0}"


def layers(module):
    return [type(layer).__name__ for layer in module.children()]


@pytest.mark.parametrize(
    ("nodes", "biased"),
    [
        ("y = MatMul (x, w)", False),
        ("h = MatMul (x, w) y = Add (h, b)", True),
        ("h = MatMul (x, w) y = Add (b, h)", True),
        ("y = Gemm (x, w, b)", True),
        ("y = Gemm (x, w)", False),
    ],
)
def test_a_product_by_a_stored_matrix_is_a_linear_layer(load, nodes, biased):
    module = load(f"g (float[n, 2] x) => (float[n, 3] y) <{W}, {B}> {{ {nodes} }}")
    assert layers(module) == ["Linear"]
    wanted = torch.tensor([[9.0, 12.0, 15.0]]) + torch.tensor([7.0, 8.0, 9.0]) * biased
    torch.testing.assert_close(module(torch.tensor([[1.0, 2.0]]))[0], wanted)
    assert (module.layer_0.bias is not None) == biased


@pytest.mark.parametrize(
    "nodes",
    [
        "y = MatMul (x, x)",
        "y = Gemm <alpha = 2.0> (x, v)",
        "y = Gemm <transA = 1> (x, v)",
        "y = Gemm (x, v, x)",
        "t = Transpose (x) y = MatMul (v, t)",
    ],
)
def test_what_a_linear_layer_does_not_compute_stays_as_it_is(load, nodes):
    graph = "<float[2, 2] v = {1.0, 2.0, 3.0, 4.0}>"
    module = load(f"g (float[2, 2] x) => (float[2, 2] y) {graph} {{ {nodes} }}")
    assert layers(module) == []
    assert module(torch.ones(2, 2))[0].shape == (2, 2)


def test_a_sum_is_left_alone_where_the_product_is_read_besides(load):
    module = load(
        f"g (float[n, 2] x) => (float[n, 3] y, float[n, 3] h) <{W}, {B}>"
        " { h = MatMul (x, w) y = Add (h, b) }"
    )
    y, h = module(torch.ones(1, 2))
    assert module.layer_0.bias is None
    torch.testing.assert_close(y - h, torch.tensor([[7.0, 8.0, 9.0]]))


@pytest.mark.parametrize(
    ("node", "kind", "padding"),
    [
        ("Conv <pads = [1, 1, 1, 1]> (x, k)", nn.Conv2d, (1, 1)),
        ("Conv <pads = [0, 1, 1, 0]> (x, k)", nn.Conv2d, 0),
        ('Conv <auto_pad = "SAME_UPPER"> (x, k)', nn.Conv2d, 0),
        ('Conv <auto_pad = "SAME_LOWER", strides = [2, 2]> (x, k)', nn.Conv2d, 0),
        (
            "ConvTranspose <pads = [1, 1, 1, 1], strides = [2, 2]> (x, k)",
            nn.ConvTranspose2d,
            (1, 1),
        ),
    ],
)
@pytest.mark.parametrize("size", [4, 5])
def test_a_convolution_by_stored_filters_is_a_layer(load, node, kind, padding, size):
    head = "g (float[n, 1, h, w] x"
    module = load(f"{head}) => (float[n, 1, p, q] y) <{K}> {{ y = {node} }}")
    free = load(f"{head}, float[1, 1, 2, 2] k) => (float[n, 1, p, q] y) {{ y = {node} }}")
    (layer,) = module.children()
    assert type(layer) is kind
    assert layer.padding in (padding, (padding, padding))
    assert layers(free) == []
    x, k = torch.rand(2, 1, size, size), torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    torch.testing.assert_close(module(x)[0], free(x, k)[0])


def test_filters_that_say_another_kernel_are_refused_when_run(load):
    module = load(
        f"g (float[n, 1, h, w] x) => (float[n, 1, p, q] y) <{K}>"
        " { y = Conv <kernel_shape = [3, 3]> (x, k) }"
    )
    with pytest.raises(ConversionError, match=r"operator Conv-11 .*: kernel_shape"):
        module(torch.rand(1, 1, 5, 5))


def test_weights_of_integers_are_no_layer(load):
    module = load(
        "g (int32[n, 2] x) => (int32[n, 2] y) <int32[2, 2] w = {1, 2, 3, 4}> { y = MatMul (x, w) }"
    )
    assert layers(module) == []
    assert module(torch.ones(1, 2, dtype=torch.int32))[0].tolist() == [[4, 6]]


NORM = ", ".join(
    f"float[2] {name} = {{{numbers}}}"
    for name, numbers in {
        "s": "1.5, -2.0",
        "t": "0.5, 3.0",
        "m": "0.1, -0.2",
        "v": "0.3, 2.0",
    }.items()
)


@pytest.mark.parametrize("opset", [9, 15])
@pytest.mark.parametrize("bias", ["", ", c"])
def test_a_normalisation_after_a_convolution_is_a_part_of_its_filters(load, opset, bias):
    stored = "float[2, 1, 1, 1] k = {2.0, -3.0}, float[2] c = {0.25, 0.75}"
    nodes = f"h = Conv (x, k{bias}) y = BatchNormalization <epsilon = 0.01> (h, s, t, m, v)"
    graph = f"g (float[n, 1, h, w] x) => (float[n, 2, h, w] y) <{stored}, {NORM}>"
    module = load(f"{graph} {{ {nodes} }}", opset=opset)
    assert layers(module) == ["Conv2d"]
    assert [node.op for node in module.graph.nodes] == ["placeholder", "call_module", "output"]
    x = torch.rand(2, 1, 3, 3)
    s, t, m, v = (
        torch.tensor(pair).reshape(2, 1, 1)
        for pair in ([1.5, -2.0], [0.5, 3.0], [0.1, -0.2], [0.3, 2.0])
    )
    c = torch.tensor([0.25, 0.75]).reshape(2, 1, 1) if bias else 0
    h = x * torch.tensor([2.0, -3.0]).reshape(2, 1, 1) + c
    torch.testing.assert_close(module(x)[0], (h - m) / torch.sqrt(v + 0.01) * s + t)


def test_a_normalisation_stays_where_the_convolution_is_read_besides(load):
    stored = "float[2, 1, 1, 1] k = {2.0, -3.0}"
    module = load(
        f"g (float[n, 1, h, w] x) => (float[n, 2, h, w] y, float[n, 2, h, w] h) <{stored}, {NORM}>"
        " { h = Conv (x, k) y = BatchNormalization (h, s, t, m, v) }",
        opset=15,
    )
    x = torch.rand(1, 1, 2, 2)
    torch.testing.assert_close(module(x)[1], x * torch.tensor([2.0, -3.0]).reshape(2, 1, 1))


@pytest.mark.parametrize(
    ("nodes", "copies"),
    [
        ("h = MatMul (x, w) y = Softmax (h)", 1),
        ("h = MatMul (x, w) s = Mul (h, h) y = Softmax (s)", 0),
    ],
)
def test_a_softmax_of_what_may_be_a_view_reads_a_contiguous_tensor(load, nodes, copies):
    module = load(f"g (float[n, 2] x) => (float[n, 3] y) <{W}> {{ {nodes} }}")
    assert [str(node.target) for node in module.graph.nodes].count("contiguous") == copies
    torch.testing.assert_close(module(torch.ones(4, 2))[0].sum(1), torch.ones(4))


@pytest.mark.parametrize(
    ("nodes", "copies"),
    [
        ("t = Transpose <perm = [0, 1, 3, 2]> (x) r = Relu (x) h = Conv (r, k) y = Add (h, t)", 1),
        ("t = Transpose <perm = [0, 1, 3, 2]> (x) h = Conv (x, k) y = Add (t, h)", 1),
        ("h = Conv (x, k) y = Add (h, x)", 1),
        ("t = Relu (x) h = Conv (t, k) y = Add (h, t)", 1),
        ("t = Relu (x) h = Conv (t, k) q = Relu (h) y = Add (t, q)", 1),
        ("t = Relu (x) h = Conv (x, k) y = Add (h, t)", 0),
        ("t = Relu (x) u = Relu (t) h = Conv (u, k) y = Add (h, t)", 0),
        ("t = Transpose <perm = [0, 1, 3, 2]> (x) h = Relu (x) y = Add (h, t)", 0),
    ],
)
def test_what_is_added_to_a_convolution_is_memory_of_its_own(load, nodes, copies):
    k = "float[1, 1, 1, 1] k = {2.0}"
    module = load(f"g (float[n, 1, 2, 2] x) => (float[n, 1, 2, 2] y) <{k}> {{ {nodes} }}")
    assert [str(node.target) for node in module.graph.nodes].count("clone") == copies
    (answer,) = module(torch.ones(1, 1, 2, 2))
    assert answer.flatten().tolist() == [3.0 if "Conv" in nodes else 2.0] * 4
