"""Where parts run: one file a runtime."""

from typing import Annotated

from pydantic import Field

from registry.errors import JobError
from targets import inductor, ipex, onnxruntime, openvino, torchscript
from targets.inductor import InductorOptions
from targets.ipex import IpexOptions
from targets.onnxruntime import OnnxruntimeOptions
from targets.openvino import OpenvinoOptions
from targets.target import Target
from targets.torchscript import TorchscriptOptions

#: One entry of the job's `targets`: one member a runtime.
AnyTarget = Annotated[
    OpenvinoOptions | OnnxruntimeOptions | IpexOptions | TorchscriptOptions | InductorOptions,
    Field(discriminator="runtime"),
]

TARGETS: tuple[Target, ...] = (
    openvino.TARGET,
    onnxruntime.TARGET,
    ipex.TARGET,
    torchscript.TARGET,
    inductor.TARGET,
)


def find_target(runtime: str) -> Target:
    """Return the runtime's row.

    Raises:
        JobError: There is no such runtime.
    """
    for target in TARGETS:
        if target.runtime == runtime:
            return target
    known = ", ".join(target.runtime for target in TARGETS)
    raise JobError(f"there is no runtime '{runtime}'; there are {known}")
