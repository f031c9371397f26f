"""What stands for an operator that OpenVINO lacks, or gets wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from converters.onnx_legal.body import Body
from converters.onnx_legal.place import Place


def always(place: Place) -> bool:  # noqa: ARG001 - as rows have it
    """Say that a rewrite is for every node of its operator."""
    return True


@dataclass(frozen=True)
class Rewrite:
    """One file in `rewrites`, and its rows in REWRITES.

    Attributes:
        fault: What OpenVINO does with it otherwise.
        cases: ONNX's own node tests that need it.
        applies: Tells whether a node of the operator is one that OpenVINO fails.
        apply: Adds what stands for the node; raises ConversionError where nothing can.
        mended_in: The first version of OpenVINO that is known not to need it.
    """

    operator: str
    fault: str
    cases: tuple[str, ...]
    apply: Callable[[Body], None]
    applies: Callable[[Place], bool] = always
    mended_in: str | None = None


def is_needed(row: Rewrite, version: str) -> bool:
    """Tell whether a version of OpenVINO, '2026.4.1-…', still needs a rewrite."""
    return row.mended_in is None or _numbers(version) < _numbers(row.mended_in)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in version.split("-", maxsplit=1)[0].split("."))
