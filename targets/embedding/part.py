"""The embedding part: from users' inputs to vectors, by way of ids, in as many hops as it takes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from registry.composition import Lookup
from registry.errors import InputError, IntegrityError
from registry.manifest import Draft
from targets.embedding.ids import IdsProgram
from targets.embedding.lookups import look_up
from targets.embedding.tables import MappedTable, open_table
from targets.target import Arrays


class Step(Protocol):
    """What computes values from values: an ids program, or a lookup.

    Attributes:
        takes, outputs: Their names.
    """

    takes: tuple[str, ...]
    outputs: tuple[str, ...]

    def run(self, inputs: Arrays) -> Mapping[str, np.ndarray]:
        """Compute the outputs."""


@dataclass
class LookUp:
    """One lookup and its table, as a step.

    Attributes:
        computed_from: Users' inputs, where a program makes its ids of them.
    """

    lookup: Lookup
    table: MappedTable
    computed_from: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        read = (self.lookup.ids, self.lookup.offsets, self.lookup.weights)
        self.takes = tuple(name for name in read if name is not None)
        self.outputs: tuple[str, ...] = (self.lookup.output,)

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Read the table.

        Raises:
            InputError: As `look_up`.
        """
        try:
            return {self.lookup.output: look_up(self.lookup, self.table, inputs)}
        except InputError as error:
            if not self.computed_from:
                raise
            ids, sources = self.lookup.ids, ", ".join(self.computed_from)
            raise InputError(f"{error}; the model computes {ids} from {sources}") from error


class EmbeddingPart:
    """Ids programs and lookups, each as soon as what it takes is there.

    Rows of integer tables are ids of the next lookup, or of what the next program computes ids
    from; each lookup holds its own ids against its own table.

    Attributes:
        given: Names of all values there are in the end, users' inputs included.
        tables: By name.
    """

    def __init__(
        self,
        inputs: Collection[str],
        programs: Sequence[IdsProgram],
        lookups: Sequence[Lookup],
        tables: Mapping[str, MappedTable],
    ) -> None:
        self.tables = dict(tables)
        lacking = {lookup.table for lookup in lookups} - tables.keys()
        known = [LookUp(one, tables[one.table]) for one in lookups if one.table not in lacking]
        self._steps, missing = in_order(inputs, (*programs, *known))
        _tell_sources(inputs, self._steps)
        self.given = {*inputs, *(name for step in self._steps for name in step.outputs)}
        if missing or lacking:
            raise IntegrityError(f"no part gives {', '.join(sorted(missing | lacking))}")

    def run(self, inputs: Arrays) -> dict[str, np.ndarray]:
        """Return the inputs, the ids and the vectors, by name.

        Raises:
            InputError: An ids program or a lookup refuses what it is given.
        """
        values = dict(inputs)
        for step in self._steps:
            values |= step.run(values)
        return values

    @classmethod
    def open(cls, folder: Path, draft: Draft) -> Self:
        """Open that of a version.

        Args:
            folder: The version's folder.

        Raises:
            IntegrityError: Something is taken that nothing gives, or a file is not what the
                manifest says.
        """
        programs = [IdsProgram(folder / program.folder) for program in draft.id_programs]
        tables = {table.name: open_table(table, folder) for table in draft.tables}
        known = [one.name for one in (*draft.inputs, *draft.handed)]
        try:
            return cls(known, programs, draft.lookups, tables)
        except IntegrityError as error:
            raise IntegrityError(f"{draft.model}: {error}") from error

    def close(self) -> None:
        """Unmap the tables, once the last answer under way is given."""
        for table in self.tables.values():
            table.close()


def _tell_sources(inputs: Collection[str], steps: Sequence[Step]) -> None:
    """Let each lookup of computed ids know the users' inputs behind them."""
    sources: dict[str, tuple[str, ...]] = {name: (name,) for name in inputs}
    for step in steps:
        behind = dict.fromkeys(source for name in step.takes for source in sources[name])
        if isinstance(step, LookUp) and step.lookup.ids not in inputs:
            step.computed_from = sources[step.lookup.ids]
        sources |= {name: tuple(behind) for name in step.outputs}


def in_order(given: Collection[str], steps: Sequence[Step]) -> tuple[tuple[Step, ...], set[str]]:
    """Put steps in an order in which each finds what it takes.

    Returns:
        Those that can be taken, and the names that others lack. These lack their own outputs
        where they wait for each other.
    """
    known, waiting, ordered = set(given), list(steps), []
    while ready := [step for step in waiting if known.issuperset(step.takes)]:
        ordered += ready
        waiting = [step for step in waiting if step not in ready]
        known |= {name for step in ready for name in step.outputs}
    coming = {name for step in waiting for name in step.outputs}
    lacking = {name for step in waiting for name in step.takes} - known
    return tuple(ordered), (lacking - coming) or lacking
