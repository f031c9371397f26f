"""Where models come from: one file a kind."""

from typing import Annotated

from pydantic import Field

from converters.sources.onnx_file import OnnxOptions
from converters.sources.torch_factory import TorchOptions
from converters.sources.torch_program import ProgramOptions

#: The job's `source` block: one member a kind of source.
AnySource = Annotated[TorchOptions | ProgramOptions | OnnxOptions, Field(discriminator="kind")]
