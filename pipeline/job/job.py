"""What a job says. The committed JSON Schema is generated from these models."""

from typing import Annotated, Literal

from pydantic import Field

from converters.processing.options import Postprocess, Preprocess, Processing
from converters.sources import AnySource
from converters.split.policy import SplitOptions
from registry.signature import Axis, Frozen, Input
from targets import AnyTarget
from targets.parity.left_out import LeftOut
from targets.parity.reason import reason

NAME = "^[a-z0-9][a-z0-9._-]*$"

Name = Annotated[str, Field(pattern=NAME, max_length=64)]


#: Why a difference is acceptable.
_Because = Annotated[
    str, reason("why this much is acceptable, such as `f32 sums in another order`")
]


class Samples(Frozen):
    """Recorded inputs, and what is known of the right answers.

    Attributes:
        file: npz (keys are input names), parquet or csv; relative to the job file.
        columns: For parquet and csv: the columns that make up each input, in order.
        labels: The key or column that holds the labels.
        rows: How many rows to take from the start.
        record: How many of them, with the original's answers, the version carries for
            rollouts to compare with. They are readable by all who can read the version.
    """

    file: str
    columns: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    labels: str | None = None
    rows: int = Field(default=1024, ge=1)
    record: int = Field(default=64, ge=1)


class Tolerance(Frozen):
    """How far an answer may be off: |error| <= atol + rtol * |reference|.

    Attributes:
        because: Why this much is acceptable. A tolerance that nobody can explain hides a bug.
    """

    atol: float = Field(ge=0, allow_inf_nan=False)
    rtol: float = Field(ge=0, allow_inf_nan=False)
    because: _Because


class Metric(Frozen):
    """A figure of merit over the labelled samples, and how much of it may be lost."""

    name: Literal["auc", "accuracy"]
    output: str
    max_drop: float = Field(ge=0, allow_inf_nan=False)
    because: _Because


class ParityOptions(Frozen):
    """What must hold between the original's answers and the target's.

    Attributes:
        conversion: With the target forced to compute in f32.
        precision: As shipped; the same as `conversion` where it is not given.
        outputs: Tolerances of single outputs, as shipped and as converted.
        batches: Batch sizes of the generated inputs.
        leave_out: Generated cases that are not compared.
    """

    conversion: Tolerance
    precision: Tolerance | None = None
    outputs: dict[str, Tolerance] = Field(default_factory=dict)
    metrics: tuple[Metric, ...] = ()
    batches: tuple[Annotated[int, Field(ge=1)], ...] = Field(default=(1, 3, 17), min_length=1)
    seed: int = 0
    leave_out: tuple[LeftOut, ...] = ()


class BenchmarkOptions(Frozen):
    """How fast each build that holds answers on this host, to be kept in the version.

    Attributes:
        batches: Batch sizes, as far as the batch axis allows them; `[]` measures nothing.
        seconds: For each batch size. At least three answers are timed.
    """

    batches: tuple[Annotated[int, Field(ge=1)], ...] = (1, 8, 32)
    seconds: float = Field(default=0.25, gt=0, le=600)


class Push(Frozen):
    """Where a version goes.

    Attributes:
        store: A folder (relative to the job file), `file:///…` or `s3://bucket/prefix`.
            `${NAME}` takes an environment variable.
        endpoint: Of an S3-compatible service, if it is not AWS. `${NAME}` as above.
        channel: Moved to the new version once it is there.
    """

    store: str
    endpoint: str | None = None
    channel: Name | None = "candidate"


class Placement(Frozen):
    """A build whose parts are for different targets.

    Attributes:
        parts: The name of the target that each part is built for.
    """

    name: Name
    parts: dict[str, str] = Field(min_length=1)


class Job(Frozen):
    """One model, from its source to a published version.

    Attributes:
        inputs: What users send. `range: [-9223372036854775808, 9223372036854775807]` of an int64
            input means any id, which the model brings into its tables itself, as by hashing.
        preprocess: What makes the model's inputs of what users send.
        postprocess: What makes answers of the model's outputs.
        axes: Ranges of the symbolic axes that the inputs' shapes name.
        outputs: Names for the model's outputs, in order.
        placements: Builds that mix targets, where `split.parts` cuts the model. Without any, each
            target is a build that has all parts; with some, these are the builds.
    """

    schema_version: Literal[1] = Field(alias="schema")
    model: Name
    description: str = ""
    source: AnySource
    preprocess: Preprocess | None = None
    postprocess: Postprocess | None = None
    inputs: tuple[Input, ...] = Field(min_length=1)
    axes: dict[Name, Axis] = Field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    samples: Samples | None = None
    split: SplitOptions = SplitOptions()
    targets: tuple[AnyTarget, ...] = Field(min_length=1)
    placements: tuple[Placement, ...] = ()
    parity: ParityOptions
    benchmark: BenchmarkOptions = BenchmarkOptions()
    push: Push | None = None

    @property
    def processing(self) -> Processing:
        """What the job has around its model."""
        return Processing(self.preprocess, self.postprocess)

    @property
    def described(self) -> tuple[Input, ...]:
        """What users send, and what is made of it for the model."""
        return (*self.inputs, *(self.preprocess.gives if self.preprocess else ()))
