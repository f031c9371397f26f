"""What a job says of its model: what the stages that open it are told."""

from pathlib import Path

from converters.brief import Brief
from converters.processing.options import Postprocess, Preprocess, Processing
from converters.sources import AnySource
from registry.signature import Axis, Frozen, Input


class ModelOptions(Frozen):
    """Parts of the job, as they are."""

    source: AnySource
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]
    outputs: tuple[str, ...]
    preprocess: Preprocess | None = None
    postprocess: Postprocess | None = None

    @property
    def processing(self) -> Processing:
        """What the job has around its model."""
        return Processing(self.preprocess, self.postprocess)

    def brief(self, folder: Path) -> Brief:
        """Return what a source is told.

        Args:
            folder: The job file's folder.
        """
        return Brief(self.source, folder, self.inputs, self.axes, self.outputs)
