"""A public package, and each of its models as a job would have it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchmarks.zoo.weights import draw
from registry.signature import Axis, Input

if TYPE_CHECKING:
    import torch

PINS = Path(__file__).parent / "pins"

BATCH: Mapping[str, Axis] = MappingProxyType({"batch": Axis(max=64)})

RUNTIMES = ("openvino", "onnxruntime", "ipex")


@dataclass(frozen=True)
class Model:
    """One model, small.

    Attributes:
        build: Returns the module; the package is imported inside.
        inputs, axes: Of the job, in the order of the module's `forward`.
        fixed: Axes that the original has free and the job fixes, and why: a last resort, which
            the table tells.
        jagged: Of the job's source: features by the parameter of `forward` that takes them.
        draw: Draws the weights anew, so that answers are of order 1 and differ from row to row.
        split: The job's `split` block.
        atol, rtol: The job's tolerance.
        runtimes: The targets.
        blame: Whose a failure is that is known, and why: "upstream: ..." or "ours: ...".
    """

    name: str
    build: "Callable[[], torch.nn.Module]"
    inputs: tuple[Input, ...]
    axes: Mapping[str, Axis] = field(default_factory=lambda: BATCH)
    fixed: Mapping[str, str] = field(default_factory=dict)
    draw: "Callable[[torch.nn.Module], None]" = draw
    jagged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    split: Mapping[str, object] = field(default_factory=lambda: {"min_rows": 20})
    atol: float = 1e-4
    rtol: float = 1e-3
    runtimes: tuple[str, ...] = RUNTIMES
    blame: str = ""


@dataclass(frozen=True)
class Package:
    """A package: one file in `packages`, one row in its table.

    Attributes:
        name: Of the package; `pins/<name>.txt` holds what is installed over the product's own
            environment, exactly.
        imports: Modules that all of its models import, loaded once for all of them.
        left_out: What of the package is no model that could be served, and why.
        in_tests: Models that `make test` takes.
    """

    name: str
    models: tuple[Model, ...]
    imports: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    in_tests: tuple[str, ...] = ()

    @property
    def pins(self) -> Path:
        return PINS / f"{self.name}.txt"

    def model(self, name: str) -> Model:
        """Return the model of a name.

        Raises:
            KeyError: There is none.
        """
        return {model.name: model for model in self.models}[name]
