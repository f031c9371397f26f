"""What a stage's process tells the run: one JSON object a line, on a pipe of its own."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from registry.composition import Remark
from registry.manifest import File
from registry.signature import Frozen


class Progressed(Frozen):
    """How far the stage is."""

    event: Literal["progress"] = "progress"
    done: float
    total: float
    unit: str


class Finished(Frozen):
    """The stage is done.

    Attributes:
        peak: The most memory that it held, pages of mapped files too, in bytes.
        mapped: Pages of mapped files that it holds at its end, in bytes.
        remarks: What tools warned of.
        files: Digests of files that it hashed while it wrote them, by their path in the output.
    """

    event: Literal["finished"] = "finished"
    peak: int
    mapped: int = 0
    files: dict[str, File] = Field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()


class Failed(Frozen):
    """The stage raised.

    Attributes:
        kind: Name of the class in `registry.errors`, or None: then the traceback is in
            the log, and `message` is its last line.
    """

    event: Literal["failed"] = "failed"
    kind: str | None
    message: str
    peak: int


Event = Annotated[Progressed | Finished | Failed, Field(discriminator="event")]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
