"""What pre- and post-processing have to offer, whatever kind of file they come from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from converters.brief import Arrays
from registry.signature import Tensor

if TYPE_CHECKING:
    import numpy as np
    import onnx


class Processor(Protocol):
    """A file that makes tensors of tensors."""

    @property
    def file(self) -> Path:
        """Where it lies."""

    @property
    def takes(self) -> tuple[str, ...]:
        """Names of the tensors that it takes."""

    @property
    def gives(self) -> tuple[str, ...]:
        """Names of those that it makes."""

    @property
    def words(self) -> Mapping[str, tuple[str, ...]]:
        """The words of each tensor that is text in the original.

        It takes their numbers; any other number stands for a word that nobody knows.
        """

    def answer(self, arrays: Arrays) -> "dict[str, np.ndarray]":
        """Answer as the original does.

        Raises:
            RefusalError: The original refuses these.
        """

    def as_onnx(self, taken: Sequence[Tensor], part: str) -> "tuple[onnx.ModelProto, str]":
        """Give it as a model that takes these tensors, and say what wrote it.

        Raises:
            ConversionError: Nothing converts it.
            SourceError: It does not take such tensors.
        """
