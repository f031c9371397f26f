"""What a part is fed on recorded samples, as files: what int8 finds its scales with.

calibration.json        how many samples they are, and what they hold
000000.safetensors …    all inputs of the part by name, a file a batch
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from pydantic import Field
from safetensors.numpy import load_file, save_file

from registry.signature import Frozen

CALIBRATION = "calibration.json"


class Calibration(Frozen):
    """What `calibration.json` holds.

    Attributes:
        samples: Rows in all batches.
        ranges: Least and greatest number of each input of floats, by name.
    """

    samples: int = Field(ge=1)
    ranges: dict[str, tuple[float, float]]

    def __str__(self) -> str:
        spans = [f"{name} {low:.4g} to {high:.4g}" for name, (low, high) in self.ranges.items()]
        return f"{self.samples} samples: {', '.join(spans)}" if spans else f"{self.samples} samples"


def write_feeds(
    batches: Iterable[dict[str, np.ndarray]], samples: int, folder: Path
) -> Calibration:
    """Write what a part is fed, a file a batch, and at last what that is.

    Args:
        batches: All inputs of the part by name.
        samples: How many rows they have together.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ranges: dict[str, tuple[float, float]] = {}
    for number, batch in enumerate(batches):
        for name, array in batch.items():
            if array.dtype.kind == "f" and array.size:
                ranges[name] = _wider(ranges.get(name), array)
        whole = {name: np.asarray(array, order="C") for name, array in batch.items()}
        save_file(whole, folder / f"{number:06}.safetensors")
    made = Calibration(samples=samples, ranges=ranges)
    (folder / CALIBRATION).write_text(made.model_dump_json(indent=1))
    return made


def read_calibration(folder: Path) -> Calibration:
    """Say what the feeds in a folder are."""
    return Calibration.model_validate(json.loads((folder / CALIBRATION).read_bytes()))


def read_feeds(folder: Path) -> Iterator[dict[str, np.ndarray]]:
    """Read batch after batch, in their order."""
    for file in sorted(folder.glob("*.safetensors")):
        yield load_file(file)


def _wider(before: tuple[float, float] | None, array: np.ndarray) -> tuple[float, float]:
    low, high = float(array.min()), float(array.max())
    return (low, high) if before is None else (min(before[0], low), max(before[1], high))
