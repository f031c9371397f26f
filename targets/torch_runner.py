"""What every runtime of torch does with a batch."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from registry.errors import InputError
from registry.signature import Signature
from targets.feeds import NUMPY, check_feeds
from targets.target import Arrays

#: Some passes over a graph are done in the first runs, not when it is loaded.
WARM_UP = 3


class TorchRunner:
    """A loaded module; it may be called from several threads.

    Requests that run side by side share the threads.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        signature: Signature,
        force: Callable[[], dict[str, str]],
    ) -> None:
        self.signature = signature
        self._call = call
        self._force = force

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Answer one batch.

        Raises:
            InputError: The inputs do not fit the signature, or the model refuses them.
        """
        import torch

        check_feeds(inputs, self.signature)
        # Arrays that may not be written to would be warned of.
        arrays = [inputs[tensor.name] for tensor in self.signature.inputs]
        given = [torch.from_numpy(np.require(array, requirements=["C", "W"])) for array in arrays]
        try:
            with torch.inference_mode():
                answers = self._call(*given)
        except Exception as error:
            raise InputError(f"torch cannot answer these inputs: {last_line(error)}") from error
        # An answer may be a view of an input.
        found = [np.array(answer.numpy(), order="C") for answer in answers]
        names = [tensor.name for tensor in self.signature.outputs]
        return dict(zip(names, found, strict=True))

    def in_force(self) -> dict[str, str]:
        """Read back from torch what it does."""
        import torch

        return {
            "device": "CPU",
            "precision": "f32",
            "threads": str(torch.get_num_threads()),
            "streams": "1",
            "isa": str(torch.backends.cpu.get_cpu_capability()),
            **self._force(),
        }


def fix_threads(threads: int) -> None:
    """Set torch's threads, before a module is loaded: packed weights are laid out for them."""
    import torch

    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


def warm_up(runner: TorchRunner, sizes: Mapping[str, int]) -> None:
    """Run zeros with these sizes of the free axes until nothing is left to be done once."""
    inputs = {
        tensor.name: np.zeros(
            [sizes[dim] if isinstance(dim, str) else dim for dim in tensor.shape],
            NUMPY[tensor.dtype],
        )
        for tensor in runner.signature.inputs
    }
    for _ in range(WARM_UP):
        runner.run(inputs)


def last_line(error: Exception) -> str:
    """Leave out the stack that torch writes above what went wrong."""
    return next(reversed(str(error).strip().splitlines()), type(error).__name__)
