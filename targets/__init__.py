"""Where parts run: one file a runtime."""

from typing import Annotated

from pydantic import Field

from targets.onnxruntime import OnnxruntimeOptions
from targets.openvino import OpenvinoOptions

#: One entry of the job's `targets`: one member a runtime.
AnyTarget = Annotated[OpenvinoOptions | OnnxruntimeOptions, Field(discriminator="runtime")]
