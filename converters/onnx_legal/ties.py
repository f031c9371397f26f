"""TopK of equal values: the first comes first, as ONNX has it."""

from typing import Any

from registry.require import require


def settle_ties(model: Any) -> None:  # noqa: ANN401 - untyped
    """Make the TopK of a converted model stable; OpenVINO's reader of ONNX does not ask for it."""
    openvino = require("openvino", extra="convert")
    for operator in model.get_ordered_ops():
        if operator.get_type_name() != "TopK":
            continue
        said = operator.get_attributes()
        stable = openvino.opset11.topk(
            operator.input_value(0),
            operator.input_value(1),
            said["axis"],
            said["mode"],
            "value" if said["sort"] == "none" else said["sort"],
            said["index_element_type"],
            stable=True,
        )
        stable.set_friendly_name(operator.get_friendly_name())
        for number, port in enumerate(operator.outputs()):
            made = stable.output(number)
            made.set_names(port.get_names())
            for reader in port.get_target_inputs():
                reader.replace_source_output(made)
