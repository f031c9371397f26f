"""Versions of the tools that a stage's output may depend on."""

import platform
from importlib import metadata

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
