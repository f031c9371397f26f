"""What a serving place has to offer so that versions can be taken live there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from registry.catalog import Catalog
from registry.manifest import Version


@dataclass(frozen=True)
class Step:
    """One thing that was done: its name, and what came of it."""

    name: str
    detail: str


@dataclass(frozen=True)
class Site:
    """A channel, as served at one place.

    Attributes:
        cache: Where this host keeps versions, and where its servers announce themselves.
        target: The build to prove; None takes the first that the host can run.
        patience: Seconds that servers get to go to the new version.
    """

    catalog: Catalog
    channel: str
    cache: Path
    target: str | None = None
    patience: float = 120.0


@dataclass(frozen=True)
class Environment:
    """A serving place: one file, one row in ENVIRONMENTS.

    Attributes:
        prove: Show, step by step, that a version works here before anybody is sent to it.
        confirm: Wait, step by step, until what serves here answers with a version that the
            channel was moved to.
        settle: Let what serves here go back after a rollout that failed; never raises.
    """

    name: str
    prove: Callable[[Site, Version], Iterator[Step]]
    confirm: Callable[[Site, Version], Iterator[Step]]
    settle: Callable[[Site, Version], None]
