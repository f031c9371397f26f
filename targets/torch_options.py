"""What a job may say of every target that torch runs."""

from registry.signature import Road
from targets.target import TargetOptions


class TorchOptions(TargetOptions):
    """Options of the runtimes of torch.

    Attributes:
        via: The road that a torch model takes: through ONNX, or as torch exported it.
    """

    via: Road = "onnx"

    @property
    def road(self) -> Road | None:
        """The road to the target's format."""
        return self.via
