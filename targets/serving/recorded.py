"""The answers of the original model that a version carries."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from registry.manifest import Draft


@dataclass(frozen=True)
class RecordedAnswers:
    """Inputs in one batch, and what the original model answered to them."""

    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]


def read_recorded(folder: Path, draft: Draft) -> RecordedAnswers | None:
    """Read them from a version's folder, if it has any."""
    if draft.recorded is None:
        return None
    tensors = load_file(folder / draft.recorded)
    return RecordedAnswers(_under("input/", tensors), _under("output/", tensors))


def _under(prefix: str, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name.removeprefix(prefix): array
        for name, array in tensors.items()
        if name.startswith(prefix)
    }
