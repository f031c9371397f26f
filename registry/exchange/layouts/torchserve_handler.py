"""What TorchServe runs: inputs by name in JSON, outputs by name in JSON. Stands alone."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch


class Handler:
    """Answers with a TorchScript program by the signature that lies beside it."""

    def initialize(self, context: "object") -> None:
        """Load the program and its signature from the unpacked archive."""
        import torch

        folder = Path(context.system_properties["model_dir"])  # type: ignore[attr-defined]
        self._signature = json.loads((folder / "signature.json").read_text())
        self._program = torch.jit.load(str(folder / "model.pt"), map_location="cpu").eval()

    def handle(self, data: "Sequence[dict[str, object]]", context: "object") -> list[str]:  # noqa: ARG002
        """Answer each request of a batch."""
        return [self._answer(request.get("body") or request.get("data")) for request in data]

    def _answer(self, body: object) -> str:
        import torch

        said = json.loads(body) if isinstance(body, str | bytes | bytearray) else body
        with torch.inference_mode():
            answers = self._program(
                *(self._tensor(said, each) for each in self._signature["inputs"])
            )
        tensors = answers if isinstance(answers, tuple | list) else (answers,)
        names = [output["name"] for output in self._signature["outputs"]]
        return json.dumps({name: one.tolist() for name, one in zip(names, tensors, strict=True)})

    def _tensor(self, said: object, tensor: dict[str, str]) -> "torch.Tensor":
        import torch

        values = said[tensor["name"]]  # type: ignore[index]
        return torch.tensor(values, dtype=getattr(torch, tensor["dtype"]))
