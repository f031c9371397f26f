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

#: Sizes of the free axes that a module was run with, for two runs.
Tried = list[dict[str, int]]


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
    for sizes, *tried in choices(given):
        try:
            with quiet("torchscript"), torch.no_grad():
                frozen = _frozen(module, example_inputs(given, sizes))
            for each in tried:
                run(frozen, given, each)
        except Exception as error:  # noqa: BLE001 - what a framework raises has no kind
            fault = fault or error
        else:
            return frozen, tried
    raise ConversionError(
        f"{file}: cannot be traced with sizes of its free axes near any of {LEAST}, as far as the "
        f"job's `axes` allow them: {fault}"
    ) from fault


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
