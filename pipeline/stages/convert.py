"""Take one step of a part's route to its target's format."""

from registry.format import Format
from registry.signature import Frozen, Input, Precision


class Options(Frozen):
    """Reads the folder `from`: of the split, or of the step before this one.

    Attributes:
        source, result: The step: its converter is the row of CONVERTERS with these two.
        weights: What the result's float weights are stored in. On a route of several steps
            only the last one narrows; the steps before it are asked for f32.
        inputs: Of the job: the ranges of the integers that reach the dense part.
    """

    source: Format
    result: Format
    weights: Precision
    inputs: tuple[Input, ...]
