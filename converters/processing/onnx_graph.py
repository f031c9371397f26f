"""An ONNX file before a model, or after it: what skl2onnx made where the estimator was fitted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Brief, SourceOptions
from converters.onnx_models.faults import faults, inline_functions, is_outside
from converters.onnx_models.files import open_model, signature_of, tensors
from converters.onnx_models.piece import maker_of
from converters.onnx_models.reference import answering
from registry.errors import SourceError
from registry.signature import Dim, Input, Signature, Tensor, same_but_unnamed

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class OnnxGraph:
    """An ONNX file and what is wanted of it; a `Processor`.

    Attributes:
        gives: Names of its outputs that are wanted.
        wanted: What they have to be, as far as the job says.
    """

    file: Path
    gives: tuple[str, ...]
    wanted: tuple[Tensor, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def model(self) -> "onnx.ModelProto":
        """Read the file, and refuse what must not be trusted."""
        model = inline_functions(open_model(self.file))
        found = list(faults(model, self.file.parent))
        if any(is_outside(tensor) for tensor in tensors(model.graph)):
            found.append("weights lie outside of the file")
        if found:
            raise SourceError(
                f"{self.file}: {'; '.join(found)}. Write it again: operators of ONNX and of "
                "ai.onnx.ml, and weights in the file itself"
            )
        return model

    @cached_property
    def signature(self) -> Signature:
        """Describe what it takes, and what is wanted of it.

        Raises:
            SourceError: It takes or gives text, or lacks a wanted output.
        """
        model = self.model
        try:
            whole = signature_of(model)
        except SourceError as error:
            raise SourceError(
                f"{self.file}: {error}. Text and maps do not go from part to part: let it take "
                "numbers, and make it with zipmap=False; or name the estimator itself (.skops)"
            ) from error
        outputs = {one.name: one for one in whole.outputs}
        if lacking := [name for name in self.gives if name not in outputs]:
            raise SourceError(
                f"{self.file}: has no output '{', '.join(lacking)}'; it has {', '.join(outputs)}"
            )
        return Signature(inputs=whole.inputs, outputs=tuple(outputs[name] for name in self.gives))

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """Names of what it takes."""
        return tuple(one.name for one in self.signature.inputs)

    @cached_property
    def _asked(self) -> Callable[[Arrays], dict[str, np.ndarray]]:
        inputs = tuple(Input(**one.model_dump()) for one in self.signature.inputs)
        return answering(self.file, Brief(SourceOptions(), self.file.parent, inputs, {}))

    def answer(self, arrays: Arrays) -> dict[str, np.ndarray]:
        """Ask the file, in ONNX Runtime as it came."""
        answers = self._asked(arrays)
        return {name: answers[name] for name in self.gives}

    def as_onnx(self, taken: Sequence[Tensor], part: str) -> "tuple[onnx.ModelProto, str]":
        """Give the file with the job's names for its axes, and with the wanted outputs alone.

        Raises:
            SourceError: It takes, or gives, something else than the job says.
        """
        import onnx

        self._check("takes", self.signature.inputs, taken)
        if self.wanted:
            self._check("gives", self.signature.outputs, self.wanted)
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        model.graph.name = part
        kept = {value.name: value for value in model.graph.output}
        del model.graph.output[:]
        model.graph.output.extend(kept[name] for name in self.gives)
        rows = taken[0].shape[0]
        shapes = {one.name: one.shape for one in (*taken, *self.wanted)}
        for value in (*model.graph.input, *model.graph.output):
            _name_axes(value, shapes.get(value.name), rows)
        return model, maker_of(model) or "onnx"

    def _check(self, what: str, own: Sequence[Tensor], wanted: Sequence[Tensor]) -> None:
        for one, other in zip(own, wanted, strict=True):
            if not same_but_unnamed(
                Signature(inputs=(), outputs=(one,)), Signature(inputs=(), outputs=(other,))
            ):
                raise SourceError(
                    f"{self.file}: {what} {one}, where the job has {other}: say it as the file does"
                )


def _name_axes(value: "onnx.ValueInfoProto", shape: tuple[Dim, ...] | None, rows: Dim) -> None:
    """Call a tensor's axes as the job does; of an answer that it does not describe, the first."""
    for place, dim in enumerate(value.type.tensor_type.shape.dim):
        name = shape[place] if shape else rows if place == 0 else None
        if isinstance(name, str) and not dim.HasField("dim_value"):
            dim.dim_param = name
