"""How files are to be read."""

from enum import StrEnum


class Format(StrEnum):
    """A file format of a part."""

    EXPORTED_PROGRAM = "exported_program"
    ONNX = "onnx"
    OPENVINO_IR = "openvino_ir"
    TORCHSCRIPT = "torchscript"
    TORCH_GRAPH = "torch_graph"
    IPEX_TORCHSCRIPT = "ipex_torchscript"
    INDUCTOR = "inductor"


#: The file to open in a folder that holds a part in a format.
ENTRY: dict[Format, str] = {
    Format.EXPORTED_PROGRAM: "model.pt2",
    Format.ONNX: "model.onnx",
    Format.OPENVINO_IR: "model.xml",
    Format.TORCHSCRIPT: "model.pt",
    Format.TORCH_GRAPH: "graph.json",
    Format.IPEX_TORCHSCRIPT: "model.pt",
    Format.INDUCTOR: "model.pt2",
}
