"""Intel Extension for PyTorch: its last release, and the torch that it was built for.

That torch comes with CUDA or not at all, and does not start without most of it. What it does
start without is left out of the pins: triton, nvrtc, nvtx, cusolver, 1.1 GB.
"""

from pipeline.toolchains.toolchain import Toolchain


def probe() -> str:
    """Optimise, trace and run a linear layer."""
    import intel_extension_for_pytorch as ipex
    import torch

    layer = torch.nn.Linear(2, 2).eval()
    with torch.no_grad():
        layer.weight.fill_(3)
        layer.bias.fill_(1)
        example = torch.full((2, 2), 2.0)
        traced = torch.jit.freeze(torch.jit.trace(ipex.optimize(layer), example))
        for _ in range(2):
            answer = traced(example)
    if answer.tolist() != [[13.0, 13.0], [13.0, 13.0]]:
        raise ArithmeticError(f"2·3 + 2·3 + 1 is {answer.tolist()}")
    return f"torch {torch.__version__} with IPEX {ipex.__version__} traces and runs"


TOOLCHAIN = Toolchain(
    name="ipex",
    purpose="IPEX TorchScript targets",
    python=">=3.11,<3.12",
    pinned=True,
    modules={
        "torch": "torch",
        "intel-extension-for-pytorch": "intel_extension_for_pytorch",
        "onnx": "onnx",
        "onnxruntime": "onnxruntime",
    },
    probe=probe,
    runtimes=("ipex",),
    isa=("avx2", "fma"),
    download=3_300_000_000,
    disk=6_200_000_000,
    support="none: 2.8.0 is the last release and its repository is archived. Plan to move its "
    "fleet to OpenVINO or ONNX Runtime",
)
