"""The last OpenVINO of the year before, for fleets that have not been upgraded.

One job builds for both: a target that says `toolchain: openvino-2025.4` beside one that does not.
"""

from pipeline.toolchains.current import multiply
from pipeline.toolchains.toolchain import Toolchain

TOOLCHAIN = Toolchain(
    name="openvino-2025.4",
    purpose="OpenVINO targets of hosts that run 2025.4",
    python=">=3.11,<3.12",
    pinned=True,
    modules={
        "numpy": "numpy",
        "onnx": "onnx",
        "onnxruntime": "onnxruntime",
        "openvino": "openvino",
    },
    probe=multiply,
    runtimes=("openvino",),
    isa=("sse4_2",),
    download=130_000_000,
    disk=400_000_000,
    support="until the fleet is upgraded: faults are mended in newer releases",
)
