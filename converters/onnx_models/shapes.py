"""Shapes of an ONNX model's values, worked out while its weights stay where they are."""

from typing import TYPE_CHECKING

from registry.errors import SourceError

if TYPE_CHECKING:
    import onnx


def infer_shapes(model: "onnx.ModelProto") -> "onnx.ModelProto":
    """Fill in the shapes that the model does not state.

    Raises:
        SourceError: The model contradicts itself, or an output's rank cannot be told.
    """
    import onnx

    try:
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except Exception as error:
        said = str(error).strip().splitlines()
        raise SourceError(
            f"the ONNX model contradicts itself: {said[-1] if said else error}"
        ) from error
    if len(inferred.graph.node) != len(model.graph.node):
        raise SourceError(
            f"shape inference left {len(inferred.graph.node)} of {len(model.graph.node)} nodes:"
            " store the weights as external data (onnx.save(…, save_as_external_data=True))"
        )
    for value in inferred.graph.output:
        if not value.type.tensor_type.HasField("shape"):
            raise SourceError(f"output '{value.name}' of the ONNX model does not say its rank")
    return inferred
