"""Open the model, find its lookups and cut it there."""

from converters.sources import AnySource
from converters.split.policy import SplitOptions
from registry.signature import Axis, Frozen, Input


class Options(Frozen):
    """Parts of the job, as they are. The stage reads no folders of other tasks."""

    source: AnySource
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]
    outputs: tuple[str, ...]
    split: SplitOptions
