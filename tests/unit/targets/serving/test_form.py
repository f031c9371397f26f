import pytest

from registry.errors import ServeError
from registry.signature import DType, Input, Signature, Tensor
from targets.serving.form import read_form
from tests.versions import INPUTS, SCORE, write_draft


def with_shapes(draft, inputs, outputs=(SCORE,)):
    plain = [Tensor(name=each.name, dtype=each.dtype, shape=each.shape) for each in inputs]
    signature = Signature(inputs=tuple(plain), outputs=outputs)
    return draft.model_copy(update={"inputs": tuple(inputs), "signature": signature})


@pytest.fixture
def draft(tmp_path):
    return write_draft(tmp_path, 1, runtimes=("onnxruntime",))


def an_input(name, *shape, **more):
    return Input(name=name, dtype=DType.INT64, shape=shape, **more)


def test_requests_join_along_an_axis_that_is_first_everywhere(draft):
    assert read_form(draft).batch == "batch"


@pytest.mark.parametrize(
    "inputs",
    [
        (an_input("ids", "batch", 2), an_input("more", "rows", 2)),
        (an_input("ids", "batch", 2), an_input("one")),
        (an_input("ids", "batch", "batch"),),
        (an_input("ids", 4, 2),),
        (an_input("ids", "?", 2),),
        (an_input("ids", "batch"), an_input("starts", "batch", offsets="ids")),
    ],
    ids=["two axes", "scalar", "square", "fixed", "nameless", "offsets"],
)
def test_requests_do_not_join_otherwise(draft, inputs):
    assert read_form(with_shapes(draft, inputs)).batch is None


def test_requests_do_not_join_where_an_output_has_no_batch(draft):
    total = Tensor(name="total", dtype=DType.FLOAT32, shape=(1,))
    assert read_form(with_shapes(draft, INPUTS, (SCORE, total))).batch is None


def test_an_element_type_that_the_protocol_lacks_is_refused(draft):
    halved = Tensor(name="score", dtype=DType.BFLOAT16, shape=("batch", 1))
    with pytest.raises(ServeError, match="score is bfloat16"):
        read_form(with_shapes(draft, INPUTS, (halved,)))
