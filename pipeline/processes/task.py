"""One stage's work, as its own process is told it."""

from pathlib import Path

from pydantic import Field, JsonValue

from registry.signature import Frozen


class Task(Frozen):
    """What a stage has to do.

    A stage is a module in `pipeline.stages` with `run(task, out, progress)`; it reads the
    folders in `inputs`, writes into the folder `out` and nowhere else. Digests of files that it
    worked out while it wrote them it returns, by their path in `out`: they are not read again.

    Attributes:
        name: Unique in the run: 'split', 'convert openvino-f32'.
        stage: The module's name in `pipeline.stages`.
        inputs: Output folders of earlier tasks, by the role that they play here.
        options: What the stage needs of the job, as JSON.
        folder: The job file's folder.
        toolchain: The environment that it runs in.
    """

    name: str
    stage: str
    inputs: dict[str, Path] = Field(default_factory=dict)
    options: dict[str, JsonValue] = Field(default_factory=dict)
    folder: Path
    toolchain: str = "current"
