"""Ask the unsplit model: recorded samples first, generated inputs after them."""

from pydantic import Field

from converters.sources import AnySource
from pipeline.job.job import Samples
from registry.signature import Axis, Frozen, Input


class Options(Frozen):
    """Parts of the job, as they are. The stage reads no folders of other tasks.

    Attributes:
        batches, seed: Of the job's `parity`.
    """

    source: AnySource
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]
    outputs: tuple[str, ...]
    samples: Samples | None
    batches: tuple[int, ...] = Field(min_length=1)
    seed: int
