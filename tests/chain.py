"""A run of made-up tasks: `python -m tests.chain FOLDER PAUSE [--force] [--json]`."""

import sys
from pathlib import Path

from pipeline.caching.digest import Digests
from pipeline.planning.node import Node
from pipeline.planning.planner import Planner
from pipeline.planning.steps import Plan
from pipeline.running.run import Wishes, execute
from pipeline.showing.watch import watching
from tests.misbehave import Ways

NAMES = ("one", "two", "three", "four")


def lay_out(folder: Path, *nodes: Node, code: str = "code") -> Plan:
    """Plan nodes, with a home in the folder."""
    home = folder / "home"
    digests, tools = Digests(home / "digests.json"), {"python": sys.version.split()[0]}
    planner = Planner(
        job="model/job.yaml",
        folder=folder,
        home=home,
        digests=digests,
        tools=tools,
        code=code,
        cpu="",
        size=0,
    )
    return Plan(
        model="model",
        job="model/job.yaml",
        text="schema: 1",
        folder=folder,
        home=home,
        steps=planner.steps(nodes),
        source="made up",
        source_digest="",
        size=0,
        tools=tools,
        cpu="",
        threads=1,
        digests=digests,
    )


def chain(pause: float) -> tuple[Node, ...]:
    """Return tasks each of which reads the one before it."""
    ways = Ways(pause=pause)
    before = ((), *((name,) for name in NAMES))
    return tuple(
        Node(name, "tests.misbehave", ways, dict(zip(reads, reads, strict=True)))
        for name, reads in zip(NAMES, before, strict=False)
    )


if __name__ == "__main__":
    plan = lay_out(Path(sys.argv[1]), *chain(float(sys.argv[2])))
    with watching(json="--json" in sys.argv) as watch:
        result = execute(plan, Wishes(force="--force" in sys.argv), watch)
    sys.exit(130 if result.record.outcome == "interrupted" else result.error is not None)
