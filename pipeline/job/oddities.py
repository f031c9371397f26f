"""What is odd about samples that are taken all the same."""

from collections.abc import Iterable

import numpy as np

from pipeline.job.refusal import first_of
from registry.signature import Input

#: Inputs of a kind that are named.
_NAMED = 6


class Oddities:
    """Collects what to tell of samples: what is alike in several inputs is told once."""

    def __init__(self) -> None:
        self._turned: dict[tuple[np.dtype, np.dtype], list[str]] = {}
        self._beyond: list[str] = []

    def turned(self, name: str, found: Iterable[np.ndarray], wanted: np.dtype) -> None:
        """Take note of what the file has in another dtype than the input `name`."""
        for dtype in dict.fromkeys(array.dtype.newbyteorder("=") for array in found):
            if dtype != wanted:
                self._turned.setdefault((dtype, wanted), []).append(f"`{name}`")

    def beyond(self, label: str, array: np.ndarray, tensor: Input) -> None:
        """Take note of floats outside of their range: new data may go beyond what was seen.

        Args:
            label: What the file calls them.
        """
        if tensor.range is None or array.dtype.kind != "f":
            return
        low, high = tensor.range
        bad = (array < low) | (array > high)
        if bad.any():
            why = f"is outside of the input's range, {low:g} to {high:g}"
            self._beyond.append(
                f"{first_of(label, array, bad, why)}: widen it if such values come, as generated "
                "inputs stay inside of it"
            )

    def tell(self, file: str) -> tuple[str, ...]:
        """Return a sentence for each oddity.

        Args:
            file: As the job names it: the sentences are published with the version's report.
        """
        turned = (_turned(*dtypes, names) for dtypes, names in self._turned.items())
        return tuple(f"{file}: {sentence}" for sentence in (*turned, *self._beyond))


def _turned(found: np.dtype, wanted: np.dtype, names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    are = "is" if len(names) == 1 else "are"
    narrower = found.kind == wanted.kind == "f" and found.itemsize > wanted.itemsize
    how = "rounded" if narrower else "no value changes"
    return (
        f"{', '.join(names[:_NAMED])}{more} {are} {found} in the file and {wanted} in the "
        f"job: {how}; requests have to be {wanted}"
    )
