"""Hold the shapes of a request's inputs against the axes that the version names."""

from collections.abc import Mapping

import numpy as np

from registry.signature import ANY, Dim
from targets.serving.form import Form


def axis_faults(inputs: Mapping[str, np.ndarray], form: Form) -> list[str]:
    """List axes of another size than the version's, out of range, or at odds with each other."""
    faults: list[str] = []
    sizes: dict[str, tuple[int, str]] = {}
    for name, array in inputs.items():
        shape = form.inputs[name].shape
        if len(shape) != array.ndim:
            faults.append(f"input '{name}': shape {list(array.shape)} should be {_show(shape)}")
            continue
        for dim, size in zip(shape, array.shape, strict=True):
            fault = _fault(dim, size, name, sizes, form)
            if fault:
                faults.append(f"input '{name}': shape {list(array.shape)}: {fault}")
    return faults


def _fault(
    dim: Dim, size: int, name: str, sizes: dict[str, tuple[int, str]], form: Form
) -> str | None:
    if isinstance(dim, int):
        return None if size == dim else f"{size} should be {dim}"
    if dim == ANY:
        return None
    seen, by = sizes.setdefault(dim, (size, name))
    if seen != size:
        return f"axis '{dim}' is {size}, but {seen} in '{by}'"
    axis = form.axes.get(dim)
    if axis and not axis.min <= size <= axis.max:
        return f"axis '{dim}' is {size}; it runs from {axis.min} to {axis.max}"
    return None


def _show(shape: tuple[Dim, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"
