"""ONNX to plain torch: an importer that keeps dynamic axes dynamic, and weights where they lie."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from converters.onnx_models.files import open_model
from converters.onnx_to_torch.functions import expand_functions
from converters.onnx_to_torch.importer import GraphImporter
from converters.onnx_to_torch.layers import use_layers
from converters.onnx_to_torch.naming import domain_of
from registry.errors import ConversionError

if TYPE_CHECKING:
    import onnx
    from torch.fx import GraphModule


def import_model(path: Path) -> GraphModule:
    """Import an ONNX file as a module that torch can run, trace and export.

    Its inputs are those of the graph, in order, and it returns a tuple of the outputs; their
    names are `module.meta["inputs"]` and `module.meta["outputs"]`. Products and convolutions by
    stored weights are layers of torch.nn. Parameters and buffers share the bytes of the file, or
    map the data files beside it, which have to stay as they are.

    Raises:
        SourceError: The file or its data cannot be read.
        ConversionError: An operator, or how a node uses it, is not supported; names the node.
    """
    return import_proto(open_model(path), path.parent)


def import_proto(model: onnx.ModelProto, folder: Path) -> GraphModule:
    """Import a model that is in memory; `folder` is where its data files lie."""
    import onnx

    model = expand_functions(model)
    opsets = {domain_of(entry.domain): entry.version for entry in model.opset_import}
    if opsets.get("", 1) > onnx.defs.onnx_opset_version():
        raise ConversionError(
            f"the model is of opset {opsets['']}, of which onnx {onnx.__version__} knows nothing:"
            " export it for an older one"
        )
    module = GraphImporter(opsets, folder).import_graph(model.graph, {})
    use_layers(module)
    stored = {tensor.name for tensor in model.graph.initializer}
    names = (value.name for value in model.graph.input)
    module.meta["inputs"] = tuple(name for name in names if name not in stored)
    module.meta["outputs"] = tuple(value.name for value in model.graph.output)
    return module
