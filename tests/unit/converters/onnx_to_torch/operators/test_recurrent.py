"""What torch's kernels answer is what the steps answer."""

import pytest
import torch

from converters.onnx_to_torch.operators import recurrent

GATES = {recurrent.lstm: 4, recurrent.gru: 3, recurrent.rnn: 1}
OPTIONS = {recurrent.gru: {"linear_before_reset": 1}}


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("function", GATES, ids=lambda function: function.__name__)
def test_kernels_and_steps_agree(function, direction, layout):
    torch.manual_seed(3)
    count, gates = (2 if direction == "bidirectional" else 1), GATES[function]
    x = torch.randn(5, 2, 3)
    w, r = torch.randn(count, gates * 4, 3), torch.randn(count, gates * 4, 4)
    b, h = torch.randn(count, gates * 8), torch.randn(count, 2, 4)
    if layout:
        x, h = x.transpose(0, 1), h.transpose(0, 1)
    options = {"direction": direction, "layout": layout, **OPTIONS.get(function, {})}
    quick = function(x, w, r, b, None, h, **options)
    slow = function(x, w, r, b, torch.tensor([5, 5], dtype=torch.int32), h, **options)
    assert len(quick) == len(slow)
    for one, other in zip(quick, slow, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("function", GATES, ids=lambda function: function.__name__)
def test_a_trace_takes_sequences_of_other_lengths(function):
    gates = GATES[function]
    w, r = torch.randn(1, gates * 4, 3), torch.randn(1, gates * 4, 4)
    options = OPTIONS.get(function, {})
    run = torch.jit.trace(
        lambda x: tuple(function(x, w, r, **options)), (torch.randn(4, 2, 3),), check_trace=False
    )
    for steps, batch in ((1, 1), (7, 3)):
        x = torch.randn(steps, batch, 3)
        for one, other in zip(run(x), function(x, w, r, **options), strict=True):
            torch.testing.assert_close(one, other)
