"""The version that answers now, and its replacement in one step."""

from collections.abc import Callable
from dataclasses import dataclass

from registry.manifest import Build, Version
from targets.predictor import Predictor
from targets.serving.batching import Batcher
from targets.serving.form import Form
from targets.serving.in_thread import in_thread
from targets.serving.limits import Limits
from targets.serving.metrics import Metrics


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Loaded:
    """A version that is loaded and warmed up, on this host.

    Attributes:
        rows: Rows of several requests that may be joined; 1 joins nothing.
        ids: The inputs that hold ids.
        let_go: To be called once it is not used any more; it may take a while.
    """

    version: Version
    build: Build
    predictor: Predictor
    form: Form
    rows: int
    ids: tuple[str, ...]
    let_go: Callable[[], object] = _nothing


@dataclass(frozen=True)
class Served:
    """A loaded version with its queue."""

    loaded: Loaded
    batcher: Batcher

    @property
    def number(self) -> int:
        """The version's number."""
        return self.loaded.version.number

    async def retire(self) -> None:
        """Answer what it has taken on, then let go of its memory and its files."""
        await self.batcher.close()
        self.loaded.predictor.close()
        await in_thread(self.loaded.let_go)


class Live:
    """What a server answers with: nothing, then one version after another.

    A request takes `served` once and stays with it, so that it is checked, answered and
    labelled by one version even if another goes live meanwhile.
    """

    def __init__(self, model: str, limits: Limits, metrics: Metrics) -> None:
        self.model = model
        self.limits = limits
        self.metrics = metrics
        self.served: Served | None = None
        self.draining = False

    @property
    def ready(self) -> bool:
        """Whether new requests are welcome."""
        return self.served is not None and not self.draining

    def swap(self, loaded: Loaded) -> Served | None:
        """Send all requests from now on to another version; the caller retires the old one."""
        batcher = Batcher(
            loaded.predictor.predict, self.limits, rows=loaded.rows, observe=self.metrics.batch
        )
        old, self.served = self.served, Served(loaded, batcher)
        self.metrics.version.clear()
        self.metrics.version.labels(self.model, loaded.version.number).set(1)
        return old
