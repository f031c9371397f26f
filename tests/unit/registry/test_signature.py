"""When two signatures of a part say the same."""

import pytest

from registry.signature import DType, Signature, Tensor, same_but_unnamed


def signature(given: tuple, answered: tuple) -> Signature:
    (x, y) = (
        Tensor(name=name, dtype=DType.FLOAT32, shape=shape)
        for name, shape in (("x", given), ("y", answered))
    )
    return Signature(inputs=(x,), outputs=(y,))


@pytest.mark.parametrize(
    ("found", "said", "same"),
    [
        (("batch", 4), ("batch", 4), True),
        (("?", 4), ("batch", 4), True),
        ((2, 4), ("batch", 4), False),
        ((2, "?", 4), ("states_0", "batch", 4), True),
        (("?", "?", 4), ("states_0", "batch", 4), True),
        ((2, 2, 4), ("states_0", "batch", 4), False),
        ((19, 4), ("batch//20 + 1", 4), False),
        (("?", 4), ("batch//20 + 1", 4), True),
        ((19, 4), ("my batch_1", 4), True),
        (("?", 4), (2, 4), False),
        ((2, 4, 1), ("states_0", 4), False),
    ],
)
def test_a_free_axis_of_the_inputs_stays_free_in_the_outputs(found, said, same):
    one, other = signature(("?", 3), found), signature(("batch", 3), said)
    assert same_but_unnamed(one, other) is same
    assert same_but_unnamed(other, one) is same


def test_an_input_keeps_its_sizes_whatever_its_axes_are_called():
    assert not same_but_unnamed(signature((2, 3), ("?",)), signature(("dim_0", 3), ("?",)))
