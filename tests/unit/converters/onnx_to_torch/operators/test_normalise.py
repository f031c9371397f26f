"""Normalisations whose scale torch's kernels do not take, or IPEX's get wrong."""

import pytest
import torch


@pytest.mark.parametrize("width", [1, 4])
def test_layers_with_a_scale_of_one_number_normalise(load, width, monkeypatch):
    weights = "float[1] s = {2.0}, float[1] b = {3.0}"
    node = "y = LayerNormalization (x, s, b)"
    module = load(f"g (float[n, {width}] x) => (float[n, {width}] y) <{weights}> {{ {node} }}")

    def fails(*_: object) -> None:
        raise IndexError("as IPEX's does over a single number")

    monkeypatch.setattr(torch.nn.functional, "layer_norm", fails)
    x = torch.arange(3.0 * width).reshape(3, width)
    (answer,) = module(x)
    wide = (x - x.mean(1, keepdim=True)) / (x.var(1, correction=0, keepdim=True) + 1e-5).sqrt()
    torch.testing.assert_close(answer, wide * 2 + 3)
