"""Open the model, find its lookups and cut it there."""

from pathlib import Path

from converters.composed import split_model
from converters.split.policy import SplitOptions
from pipeline.processes.task import Task
from pipeline.stages.model import ModelOptions
from registry.progress import Progress


class Options(ModelOptions):
    """The stage reads no folders of other tasks.

    Attributes:
        split: Of the job, as it is.
    """

    split: SplitOptions


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write `split.json` and the parts that it names."""
    options = Options.model_validate(task.options)
    split_model(options.brief(task.folder), options.processing, options.split, out, progress)
