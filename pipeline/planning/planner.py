"""Give tasks their keys, and with those their places in the cache."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from converters.row_rules import ruled
from converters.split.policy import RowRule
from pipeline.caching import cache
from pipeline.caching.digest import Digests
from pipeline.caching.material import Material
from pipeline.planning.forecast import Forecast, Sizes, forecast
from pipeline.planning.node import Node
from pipeline.planning.steps import Step
from pipeline.processes.task import Task
from pipeline.stages.part import read_split
from pipeline.stages.tables import Options, bytes_of
from pipeline.toolchains import CURRENT, find_toolchain
from pipeline.toolchains.versions import pinned_versions

#: Stages whose output says how this very CPU answers.
_OF_THIS_CPU = ("validate",)

#: Bytes that a push leaves at home.
_PUSHED = 1 << 20


@dataclass(frozen=True)
class Planner:
    """What is the same for all tasks of a plan.

    Attributes:
        job: As in `Plan`.
        folder: The job file's folder.
        code: Digest of our own code.
        cpu: The CPU's flags.
        size: Bytes of the source and its samples.
    """

    job: str
    folder: Path
    home: Path
    digests: Digests
    tools: dict[str, str]
    code: str
    cpu: str
    size: int

    def steps(self, nodes: tuple[Node, ...]) -> tuple[Step, ...]:
        """Give each task its place and its key; those that it reads come before it."""
        done: dict[str, Step] = {}
        for node in nodes:
            done[node.name] = self._step(node, done)
        return tuple(done.values())

    def _step(self, node: Node, done: Mapping[str, Step]) -> Step:
        read = {role: done[name] for role, name in node.reads.items()}
        task = Task(
            name=node.name,
            stage=node.stage,
            inputs={role: step.folder / "output" for role, step in read.items()},
            options=node.options.model_dump(mode="json", by_alias=True),
            folder=self.folder,
            toolchain=node.toolchain,
        )
        material = self._material(node, task, read)
        folder = cache.folder_of(self.home, node.stage, material.key())
        entry, why = self._look(node, material, folder)
        before = entry or cache.entry_before(self.home, self.job, node.name)
        return Step(
            task=task,
            material=material,
            needs=tuple(dict.fromkeys(node.reads.values())),
            folder=folder,
            entry=entry,
            why=why,
            forecast=_at_home(task, forecast(node.stage, self._sizes(node, done), before)),
            reusable=node.cached,
        )

    def _sizes(self, node: Node, done: Mapping[str, Step]) -> Sizes:
        splits = [step for step in done.values() if step.task.stage == "split" and step.entry]
        files = [each for step in splits if step.entry for each in step.entry.files.items()]
        dense = [file.size for name, file in files if "dense/" in name]
        if not dense:
            return Sizes(self.size, self.size)
        cut = [read_split(step.folder / "output").tables for step in splits]
        tables = [table for each in cut for table in ruled(each, _rules(node, done))]
        return Sizes(self.size, sum(dense), sum(map(bytes_of, tables)))

    def _material(self, node: Node, task: Task, read: Mapping[str, Step]) -> Material:
        return Material(
            stage=node.stage,
            options=task.options,
            folder=str(self.folder),
            files={relative(file, self.folder): self.digests.of(file) for file in node.files},
            inputs={role: step.material.key() for role, step in read.items()},
            code=self.code,
            tools=self._tools(node.toolchain),
            cpu=self.cpu if node.stage in _OF_THIS_CPU else "",
        )

    def _tools(self, toolchain: str) -> dict[str, str]:
        return self.tools if toolchain == CURRENT else pinned_versions(find_toolchain(toolchain))

    def _look(self, node: Node, material: Material, folder: Path) -> tuple[cache.Entry | None, str]:
        if not node.cached:
            return None, "never cached: the store is asked each time"
        try:
            return cache.read_entry(folder), "cached"
        except FileNotFoundError:
            return None, cache.why_not(self.home, self.job, node.name, material)
        except ValueError as error:
            return None, f"its output in the cache is damaged: {error}"


def _rules(node: Node, done: Mapping[str, Step]) -> tuple[RowRule, ...]:
    """Return by which rules the tables are stored that a task writes, or that it ships."""
    if isinstance(node.options, Options):
        return node.options.rows
    shipped = done.get("tables")
    return Options.model_validate(shipped.task.options).rows if shipped else ()


def _at_home(task: Task, expected: Forecast) -> Forecast:
    """Leave out what goes to a store elsewhere."""
    remote = task.stage == "push" and "://" in str(task.options.get("store"))
    return replace(expected, disk=_PUSHED, least=0) if remote else expected


def relative(file: Path, folder: Path) -> str:
    """Name a file by its path from the job's folder, or by its whole path if it is not in there."""
    file = file.resolve()
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else str(file)
