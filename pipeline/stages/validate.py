"""Load a part as written to disk and hold the composition against the original's answers."""

from pipeline.job.job import ParityOptions
from registry.signature import Axis, Frozen, Input
from targets import AnyTarget


class Options(Frozen):
    """Parts of the job, as they are.

    Reads the folders `split`, `tables`, `reference` and `part`: of the last step of the
    target's route, or of the split where the part is in the target's format already. Where
    the target stores narrower weights than f32, the folder `exact` is the same part with f32
    weights: the conversion error is measured on it. Without `exact` it is measured on `part`.
    """

    target: AnyTarget
    parity: ParityOptions
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]
