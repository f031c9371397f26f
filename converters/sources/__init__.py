"""Where models come from: one file a kind."""

from typing import Annotated

from pydantic import Field

from converters.sources import (
    onnx_file,
    tensorflow_model,
    torch_factory,
    torch_program,
    torchscript_file,
)
from converters.sources.onnx_file import OnnxOptions
from converters.sources.source import Source, SourceOptions
from converters.sources.tensorflow_model import TensorflowOptions
from converters.sources.torch_factory import TorchOptions
from converters.sources.torch_program import ProgramOptions
from converters.sources.torchscript_file import ScriptOptions

#: The job's `source` block: one member a kind of source.
AnySource = Annotated[
    TorchOptions | ProgramOptions | ScriptOptions | OnnxOptions | TensorflowOptions,
    Field(discriminator="kind"),
]

SOURCES: tuple[Source, ...] = (
    torch_factory.SOURCE,
    torch_program.SOURCE,
    torchscript_file.SOURCE,
    onnx_file.SOURCE,
    tensorflow_model.SOURCE,
)


def find_source(options: SourceOptions) -> Source:
    """Find the source that these options are for."""
    return next(source for source in SOURCES if isinstance(options, source.options))
