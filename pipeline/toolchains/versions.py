"""Versions of the tools that a stage's output may depend on."""

import platform
from importlib import metadata

from pipeline.toolchains import Toolchain

TOOLS = (
    "model-pipeline",
    "numpy",
    "onnx",
    "onnx-ir",
    "onnxruntime",
    "onnxscript",
    "openvino",
    "pandas",
    "pyarrow",
    "safetensors",
    "scikit-learn",
    "skl2onnx",
    "skops",
    "torch",
)


def tool_versions() -> dict[str, str]:
    """Return the versions of Python and of the tools that are installed."""
    versions = {"python": platform.python_version()}
    for tool in TOOLS:
        try:
            versions[tool] = metadata.version(tool)
        except metadata.PackageNotFoundError:
            continue
    return versions


def pinned_versions(toolchain: Toolchain) -> dict[str, str]:
    """Return the versions that a toolchain pins, whether it is built or not."""
    pinned = {pin.name: pin.version for pin in toolchain.pins()}
    return {"python": toolchain.python, "toolchain": str(toolchain), **pinned}
