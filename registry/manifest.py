"""The commit object of a version: all that a reader needs to know, in one small JSON file."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from registry.composition import Artifact, Kept, Lookup, Table, Vocabulary
from registry.signature import Axis, Frozen, Input, Layout, Precision, Signature

#: Where a process takes its memory from: "default" is the C library's own.
Allocator = Literal["default", "jemalloc", "tcmalloc"]

#: Processes a CPU that run or wait, beyond which a host is busy with more than one run.
BUSY = 1.5


class File(Frozen):
    """A blob: SHA-256 as 64 hex digits, size in bytes."""

    digest: str = Field(pattern="^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class Step(Frozen):
    """Rows that are laid over a shard.

    Attributes:
        rows: The blob that holds them.
        gives: The shard that comes out.
    """

    rows: File
    gives: File


class Recipe(Frozen):
    """What a shard is made of that the store need not hold whole.

    Attributes:
        base: A blob of the same size, which is whole.
        steps: In the order in which they are laid over it.
    """

    base: File
    steps: tuple[Step, ...] = ()


class Contract(Frozen):
    """What an artifact demands of its host; checked at load.

    Attributes:
        isa: CPU flags by the kernel's names, all of which the host must have.
        runtime: Package that runs it.
        at_least, below: The range of the runtime's versions, the upper end excluded.
        precision: What it computes in.
        threads: Intra-op threads it was validated with; 0 follows the host's effective CPUs.
        memory: Bytes that it takes once loaded, tables aside (they are mapped).
        allocator: What a server of it takes its memory from.
    """

    isa: tuple[str, ...]
    runtime: str
    at_least: str
    below: str
    precision: Precision
    threads: int = 0
    memory: int = 0
    allocator: Allocator = "default"


class Numbers(Frozen):
    """How far one output was off, over all cases that were compared.

    Attributes:
        compared: Elements compared; never 0.
        max_abs: Largest absolute error, in the output's unit; infinite where a side holds NaN,
            or an infinity that the other does not hold.
        max_scaled: Largest absolute error over the reference's standard deviation.
        constant: The reference hardly varies over all cases: their agreement says little.
        worst: The largest |error| / (atol + rtol·|reference|); within tolerance up to 1.
        where: Case and index of the worst element.
        histogram: Counts of |error| by power of ten: key -7 counts [1e-7, 1e-6); the key
            -99 counts exact equality, 99 an infinite error.
    """

    output: str
    compared: int = Field(ge=1)
    max_abs: float
    max_scaled: float
    constant: bool = False
    worst: float
    where: str
    atol: float
    rtol: float
    because: str
    passed: bool
    histogram: dict[int, int]


class Loss(Frozen):
    """How much of a metric may be lost, and why that much."""

    max_drop: float
    because: str


class Parity(Frozen):
    """One of the two numbers: `conversion` (f32 forced) or `precision` (as shipped).

    Attributes:
        metrics: Of the original and of the target; `losses` are their limits.
    """

    kind: Literal["conversion", "precision"]
    in_force: dict[str, str]
    outputs: tuple[Numbers, ...] = Field(min_length=1)
    metrics: dict[str, tuple[float, float]] = Field(default_factory=dict)
    losses: dict[str, Loss] = Field(default_factory=dict)
    cases: int = Field(ge=1)
    refused_alike: int = 0
    passed: bool


class Speed(Frozen):
    """How fast a build answered one caller, at one batch size.

    Attributes:
        calls: Answers that were timed.
        p50, p95: Seconds from a request to its answer.
        rate: Rows a second.
        rows: Whether they were the job's samples, or made up.
        axes: Sizes of the axes that the inputs' shapes name.
    """

    batch: int = Field(ge=1)
    calls: int = Field(ge=1)
    p50: float
    p95: float
    rate: float
    rows: Literal["recorded", "generated"]
    axes: dict[str, int]


class Benchmark(Frozen):
    """How fast a build answered on the host that validated it: a look, and no promise.

    Attributes:
        cpus: Those that the process could use.
        host_cpus: Those of the host; None where that was not written down.
        load: Processes that ran on the host or waited, a minute's average: figures that were
            taken beside other work are slower than they could be.
        in_force: Threads, streams and precision as the runtime said them.
    """

    cpu: str
    cpus: int
    load: float
    in_force: dict[str, str]
    speeds: tuple[Speed, ...] = Field(min_length=1)
    host_cpus: int | None = None

    @property
    def busy(self) -> str | None:
        """Say so where more ran on the host than it has CPUs for; a run by itself fills them."""
        cpus = self.host_cpus or self.cpus
        if self.load <= BUSY * cpus:
            return None
        return f"measured while the host was busy (load {self.load:g} on {cpus} CPUs)"


class BuiltPart(Frozen):
    """One part, built for one target of the job.

    Attributes:
        layout: Which axis of images lies innermost, as the target asked for it.
    """

    target: str
    runtime: str
    precision: Precision
    artifact: Artifact
    contract: Contract
    layout: Layout = "auto"

    @property
    def name(self) -> str:
        """The part's name: `dense` where the dense part was not cut."""
        return self.artifact.part


class Build(Frozen):
    """The dense part as it can be run: whole, or in parts that are each built for a target.

    Attributes:
        target: The build's name: that of its target where all parts have the same.
        parts: In the order in which they run. Each takes user inputs, vectors of lookups, and
            what parts before it answer, all by name.
        parity: Of the whole composition.
        benchmark: Likewise; None where the job wanted none.
    """

    target: str
    parts: tuple[BuiltPart, ...] = Field(min_length=1)
    parity: tuple[Parity, ...]
    benchmark: Benchmark | None = None

    @property
    def runtime(self) -> str:
        """Name the runtimes that the parts take, each once: 'openvino + onnxruntime'."""
        return " + ".join(dict.fromkeys(part.runtime for part in self.parts))

    @property
    def precision(self) -> str:
        """Name what the parts compute in, each once: 'f32'."""
        return " + ".join(dict.fromkeys(part.precision for part in self.parts))

    @property
    def allocator(self) -> Allocator:
        """Where a server of it takes its memory from: one process has one."""
        return self.parts[0].contract.allocator

    @property
    def int8(self) -> str | None:
        """Say where the scales of int8 come from, as shipped; None where nothing is quantised."""
        return next((one.in_force.get("int8") for one in reversed(self.parity)), None)


class ToolchainUse(Frozen):
    """A pinned environment in which a part of the work was done.

    Attributes:
        pins: Digest of the file of its pins.
        python: The range of Python versions that they are for.
        support: How long its makers will mend it, as it was known then.
        packages: Versions by package.
        used_for: What was done in it: 'target ipex-f32', 'source'.
    """

    name: str
    pins: str
    python: str
    support: str
    packages: dict[str, str]
    used_for: tuple[str, ...]


class Lineage(Frozen):
    """Where a version comes from.

    Attributes:
        tools: Versions by package, of the platform's own environment.
        toolchains: The pinned environments beside it, which did what it cannot.
    """

    job: str
    source: str
    source_digest: str
    tools: dict[str, str]
    toolchains: tuple[ToolchainUse, ...] = ()
    commit: str | None = None


class Draft(Frozen):
    """A version before it has a number: files lie in a folder, by the names used here.

    Attributes:
        inputs: What users send, with the values they may hold.
        ids: The ids program; None where the inputs are the ids.
        hops: Further ids programs, in order: they take rows of integer tables as well.
        handed: What the part `preprocess` of each build makes of users' inputs, before anything is
            looked up, with the values that it may hold.
        recorded: A safetensors file with `input/<name>` and `output/<name>` of the
            original model: what a rollout compares served answers with.
        report: The run's report, if there is one: folder with index.html and report.json.
    """

    model: str
    signature: Signature
    inputs: tuple[Input, ...]
    axes: dict[str, Axis]
    ids: Artifact | None
    tables: tuple[Table, ...]
    lookups: tuple[Lookup, ...]
    kept: tuple[Kept, ...] = ()
    vocabularies: tuple[Vocabulary, ...] = ()
    builds: tuple[Build, ...] = Field(min_length=1)
    recorded: str | None
    report: str | None
    lineage: Lineage
    hops: tuple[Artifact, ...] = ()
    handed: tuple[Input, ...] = ()

    @property
    def id_programs(self) -> tuple[Artifact, ...]:
        """Return all that computes ids, in order."""
        return (*((self.ids,) if self.ids else ()), *self.hops)


class Version(Draft):
    """An immutable, numbered set of artifacts that go live together.

    Attributes:
        fingerprint: Digest of everything but number, time, report, lineage and what was
            measured: equal for two versions that answer from the same bytes and are held
            against the same recorded answers within the same tolerances.
        files: Every file of the version, by its path in the version's folder.
        recipes: Of those files that are made of others, by their names.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    number: int = Field(ge=1)
    created: datetime
    fingerprint: str
    files: dict[str, File]
    recipes: dict[str, Recipe] = Field(default_factory=dict)


class Move(Frozen):
    """One entry of a channel's history: the last one is where it points.

    Attributes:
        dropped: It points nowhere from then on; `version` is where it pointed last.
        environment: The serving place of the rollout that moved it; None where that was by hand.
        signature: Of who moved it, a sigstore bundle; None where that did not sign.
    """

    number: int = Field(ge=1)
    channel: str
    version: int = Field(ge=1)
    previous: int | None
    who: str
    why: str
    when: datetime
    dropped: bool = False
    environment: str | None = None
    signature: str | None = None
