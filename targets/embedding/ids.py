"""From users' inputs to the ids that are looked up."""

from pathlib import Path

import numpy as np

from targets import onnxruntime
from targets.target import Arrays, ThreadPlan


class IdsProgram:
    """The ids program, on ONNX Runtime: of the runtimes the one that keeps 64 bits.

    Attributes:
        takes: Names of what it computes from: users' inputs, and rows of integer tables.
        outputs: Names of what it computes.
    """

    def __init__(self, folder: Path) -> None:
        self._runner = onnxruntime.load(folder, "f32", ThreadPlan(threads=1))
        self.takes = tuple(tensor.name for tensor in self._runner.signature.inputs)
        self.signature = self._runner.signature
        self.outputs = tuple(tensor.name for tensor in self.signature.outputs)

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Compute ids, offsets and weights from those inputs that the program takes.

        Raises:
            InputError: The program refuses them.
        """
        return self._runner.run({name: inputs[name] for name in self.takes})
