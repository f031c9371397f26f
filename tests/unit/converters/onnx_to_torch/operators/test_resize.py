import pytest
import torch

from converters.onnx_to_torch.operators.resize import resize


@pytest.mark.parametrize("scales", [(2.0, 3.0), (0.6, 0.8), (1.5, 0.5)])
def test_torchs_own_linear_resize_is_what_the_sum_of_neighbours_is(scales):
    x = torch.rand(2, 3, 7, 9)
    quick = resize(x, None, [1.0, 1.0, *scales], mode="linear")
    by_hand = resize(
        x,
        None,
        list(scales),
        axes=[2, 3],
        mode="linear",
        coordinate_transformation_mode="pytorch_half_pixel",
    )
    torch.testing.assert_close(quick, by_hand, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["align_corners", "asymmetric", "half_pixel"])
@pytest.mark.parametrize("kind", ["nearest", "linear", "cubic"])
def test_integers_stay_within_their_range(mode, kind):
    x = torch.tensor([[[[0, 255], [255, 0]]]], dtype=torch.uint8)
    made = resize(x, None, None, [1, 1, 5, 5], mode=kind, coordinate_transformation_mode=mode)
    assert made.dtype == torch.uint8
    assert made.shape == (1, 1, 5, 5)
    assert made.max() == 255
    assert made.min() == 0
