"""TensorFlow and tf2onnx: what reads TensorFlow sources, and answers as they did."""

from pipeline.toolchains.toolchain import Toolchain


def probe() -> str:
    """Convert a product of matrices to ONNX and compute it in both."""
    import numpy as np  # noqa: PLC0415  `pipeline toolchain ls` starts fast
    import onnxruntime
    import tensorflow as tf
    import tf2onnx

    three = np.full((2, 2), 3, np.float32)
    product = tf.function(lambda x: tf.matmul(x, three))
    taken = [tf.TensorSpec((None, 2), tf.float32, name="x")]
    model, _ = tf2onnx.convert.from_function(product, taken, opset=18)
    x = np.full((2, 2), 2, np.float32)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for answer in (product(x).numpy(), session.run(None, {"x": x})[0]):
        if not np.array_equal(answer, np.full((2, 2), 12, np.float32)):
            raise ArithmeticError(f"2x2 matrices of 2 and 3 multiply to {answer.tolist()}")
    return f"tensorflow {tf.__version__} multiplies, and so does what tf2onnx makes of it"


TOOLCHAIN = Toolchain(
    name="tensorflow",
    purpose="TensorFlow and Keras sources",
    python=">=3.11,<3.12",
    pinned=True,
    modules={
        "keras": "keras",
        "numpy": "numpy",
        "onnx": "onnx",
        "onnxruntime": "onnxruntime",
        "tensorflow-cpu": "tensorflow",
        "tf2onnx": "tf2onnx",
    },
    probe=probe,
    runtimes=(),
    isa=("avx",),
    download=500_000_000,
    disk=2_100_000_000,
    support="TensorFlow is kept; tf2onnx mends little, so that new operators may be missing",
)
