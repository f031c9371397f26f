"""A torch module that a callable builds, and its weights."""

from typing import Literal

from pydantic import Field, JsonValue

from converters.sources.source import SourceOptions


class TorchOptions(SourceOptions):
    """A factory and a checkpoint.

    Attributes:
        factory: `module:callable`; it returns a torch.nn.Module. This is user code, and
            naming it here is the permission to run it.
        args: Keyword arguments of the factory.
        path: Folder to import the module from, relative to the job file.
        weights: A safetensors file, or a torch checkpoint that holds nothing but
            tensors. Without it the module's own weights are taken.
    """

    kind: Literal["torch"] = "torch"
    factory: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")
    args: dict[str, JsonValue] = Field(default_factory=dict)
    path: str = "."
    weights: str | None = None
