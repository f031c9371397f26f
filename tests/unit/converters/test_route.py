"""The shortest way from one format to another."""

import pytest

from converters import CONVERTERS, route
from registry.errors import ConversionError
from registry.format import Format


def test_no_step_is_needed_to_stay():
    assert route(Format.ONNX, Format.ONNX) == ()


def test_one_step_is_the_row_itself():
    for converter in CONVERTERS:
        assert route(converter.source, converter.result) == (converter,)


def test_two_steps_meet_in_the_middle():
    steps = route(Format.EXPORTED_PROGRAM, Format.OPENVINO_IR)
    assert [(step.source, step.result) for step in steps] == [
        (Format.EXPORTED_PROGRAM, Format.ONNX),
        (Format.ONNX, Format.OPENVINO_IR),
    ]


@pytest.mark.parametrize(
    "result", [Format.TORCHSCRIPT, Format.IPEX_TORCHSCRIPT, Format.INDUCTOR], ids=str
)
def test_a_torch_model_goes_through_onnx_or_round_it(result):
    through = route(Format.EXPORTED_PROGRAM, result, "onnx")
    assert [step.result for step in through] == [Format.ONNX, result]
    formats = [step.result for step in route(Format.EXPORTED_PROGRAM, result, "torch")]
    assert formats[-1] == result
    assert Format.ONNX not in formats


def test_onnx_cannot_go_round_itself():
    with pytest.raises(ConversionError, match="nothing converts onnx to torchscript"):
        route(Format.ONNX, Format.TORCHSCRIPT, "torch")


def test_a_way_that_does_not_exist_is_named():
    with pytest.raises(ConversionError, match="nothing converts openvino_ir to onnx"):
        route(Format.OPENVINO_IR, Format.ONNX)


def test_no_two_rows_do_the_same():
    pairs = [(converter.source, converter.result) for converter in CONVERTERS]
    assert len(pairs) == len(set(pairs))
