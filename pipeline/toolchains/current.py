"""The environment that the platform itself runs in."""

from pipeline.toolchains.toolchain import CURRENT, Toolchain


def multiply() -> str:
    """Multiply two matrices with each runtime that is there."""
    import numpy as np  # noqa: PLC0415  `pipeline toolchain ls` starts fast
    import onnx
    import onnxruntime
    import openvino
    from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info

    shape = [2, 2]
    names = ("x", "y", "product")
    x, y, product = (make_tensor_value_info(n, onnx.TensorProto.FLOAT, shape) for n in names)
    graph = make_graph([make_node("MatMul", ["x", "y"], ["product"])], "tiny", [x, y], [product])
    model = make_model(graph, opset_imports=[make_opsetid("", 17)], ir_version=8)
    text = model.SerializeToString()
    feeds = {"x": np.full(shape, 2, np.float32), "y": np.full(shape, 3, np.float32)}
    session = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(text), "CPU")
    for answer in (session.run(None, feeds)[0], compiled(feeds)[0]):
        if not np.array_equal(answer, np.full(shape, 12, np.float32)):
            raise ArithmeticError(f"2x2 matrices of 2 and 3 multiply to {answer.tolist()}")
    return f"onnxruntime {onnxruntime.__version__} and openvino {openvino.__version__} multiply"


TOOLCHAIN = Toolchain(
    name=CURRENT,
    purpose="reads, splits and exports models; OpenVINO and ONNX Runtime targets",
    python=">=3.11,<3.14",
    pinned=False,
    modules={
        "numpy": "numpy",
        "onnx": "onnx",
        "onnxruntime": "onnxruntime",
        "openvino": "openvino",
        "torch": "torch",
    },
    probe=multiply,
    runtimes=(),
    isa=(),
    download=0,
    disk=0,
    support="kept: this environment is the one that is upgraded",
)
