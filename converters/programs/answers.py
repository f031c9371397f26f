"""Let an exported program answer as it was saved."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from converters.programs.files import load_program

Arrays = Mapping[str, np.ndarray]


def answer(folder: Path, arrays: Arrays) -> dict[str, np.ndarray]:
    """Run the program in a folder once, in torch.

    Raises:
        SourceError: The file does not say its signature.
    """
    import torch

    program, signature = load_program(folder)
    given = [torch.from_numpy(np.array(arrays[tensor.name])) for tensor in signature.inputs]
    with torch.no_grad():
        values = program.module()(*given)
    flat = torch.utils._pytree.tree_leaves(values)
    names = [tensor.name for tensor in signature.outputs]
    return {name: value.numpy() for name, value in zip(names, flat, strict=True)}
