"""Trace a module so that its free axes stay free.

The importer's arithmetic of shapes keeps them free; what keeps a size all the same is found by
running the trace with other sizes than its own.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from converters.quiet import quiet
from converters.torchscript.examples import LEAST, Examples, choices, example_inputs
from registry.errors import ConversionError
from registry.require import require
from registry.signature import Axis

#: Sizes of the free axes that a module was run with, for two runs.
Tried = list[dict[str, int]]

#: By how much larger the second of two sizes is taken, where the outputs do not follow otherwise.
APART = (0, 16, 64, 256, 1024)


def trace(
    module: Any,  # noqa: ANN401 - untyped
    given: Examples,
    file: Path,
) -> tuple[Any, Tried]:
    """Trace with the smallest sizes that the model takes, freeze, and run with two others.

    Raises:
        ConversionError: The trace does not run with other sizes than its own.
    """
    torch = require("torch", extra="convert")
    fault: Exception | None = None
    for sizes, one, other in choices(given):
        try:
            with quiet("torchscript"), torch.no_grad():
                frozen = _frozen(module, example_inputs(given, sizes))
            tried = _apart(frozen, given, one, other)
        except Exception as error:  # noqa: BLE001 - what a framework raises has no kind
            fault = fault or error
        else:
            return frozen, tried
    raise ConversionError(
        f"{file}: cannot be traced with sizes of its free axes near any of {LEAST}, as far as the "
        f"job's `axes` allow them: {fault}"
    ) from fault


def _apart(
    module: Any,  # noqa: ANN401 - untyped
    given: Examples,
    one: dict[str, int],
    other: dict[str, int],
) -> Tried:
    """Run with two sizes, so far apart that every free axis of the outputs follows.

    A network that joins 320 samples of a wave gives as many frames for 400 as for 404.
    """
    first = run(module, given, one)
    wider = other
    for more in APART:
        wider = {name: _further(size, more, given.axes.get(name)) for name, size in other.items()}
        if _follow(given, first, run(module, given, wider)):
            break
    return [one, wider]


def _further(size: int, more: int, axis: Axis | None) -> int:
    return size if axis is None else axis.within(size + more * axis.multiple_of)


def _follow(given: Examples, first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Tell whether no free axis of the outputs has the same size in both runs.

    Of an output whose number of axes is not known the signature has none.
    """
    return all(
        isinstance(dim, int) or size != other
        for tensor, one, two in zip(given.signature.outputs, first, second, strict=True)
        for dim, size, other in zip(tensor.shape, one.shape, two.shape, strict=False)
    )


def _frozen(module: Any, inputs: tuple[Any, ...]) -> Any:  # noqa: ANN401 - untyped
    """Trace in a unit of its own, so that names do not depend on what was traced before."""
    torch = require("torch", extra="convert")
    unit = torch._C.CompilationUnit()
    with warnings.catch_warnings():
        # IPEX reads stored scales as numbers; a size taken for one shows in a run with others.
        warnings.filterwarnings("ignore", "Converting a tensor to a Python")
        traced = torch.jit.trace(module, inputs, check_trace=False, _compilation_unit=unit)
    return torch.jit.freeze(traced.eval())


def run(module: Any, given: Examples, sizes: Mapping[str, int]) -> tuple[Any, ...]:  # noqa: ANN401
    """Run a module once with free axes of these sizes.

    As it is: what is done to a graph before its second run copies the weights, and is kept.
    """
    torch = require("torch", extra="convert")
    as_it_is = torch.jit.optimized_execution(should_optimize=False)
    with torch.no_grad(), quiet("torchscript"), as_it_is:
        return tuple(module(*example_inputs(given, sizes)))
