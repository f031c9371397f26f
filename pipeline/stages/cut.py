"""Cut the dense part into the parts that the job names."""

from pathlib import Path

from pydantic import Field

from converters.parts.cut import cut_parts
from converters.split.policy import PartRule
from pipeline.processes.task import Task
from pipeline.stages.model import ModelOptions
from pipeline.stages.part import PARTS, Parts, read_split
from registry.progress import Progress


class Options(ModelOptions):
    """Reads the folder `split`.

    Attributes:
        parts: Of the job's `split`.
    """

    parts: tuple[PartRule, ...] = Field(min_length=2)


def run(task: Task, out: Path, progress: Progress) -> None:
    """Write a folder for each part, and `parts.json` when all are there."""
    options = Options.model_validate(task.options)
    folder = task.inputs["split"]
    progress(0, 1, "steps")
    brief = options.brief(task.folder)
    made = cut_parts(read_split(folder).dense, folder, options.parts, brief, out)
    (out / PARTS).write_text(Parts(parts=made).model_dump_json(indent=1))
    progress(1, 1, "steps")
