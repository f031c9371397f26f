"""At which hop ids are computed and tables are read: how many lookups in a row come before."""

from collections.abc import Iterator
from dataclasses import dataclass

from registry.composition import Artifact, Lookup, Split, Table


@dataclass(frozen=True)
class Hop:
    """What happens behind so many lookups.

    Attributes:
        tables: Those that are read here first.
    """

    number: int
    programs: tuple[Artifact, ...]
    tables: tuple[Table, ...]


def hops_of(split: Split) -> Iterator[Hop]:
    """Give what happens at each hop, in order."""
    depth = _depths(split)
    programs = {one.folder: _first(one, depth) for one in split.id_programs}
    tables: dict[str, int] = {}
    for lookup in split.lookups:
        here = depth[lookup.output] - 1
        tables[lookup.table] = min(here, tables.get(lookup.table, here))
    for number in range(max(depth.values(), default=0) + 1):
        yield Hop(
            number,
            tuple(one for one in split.id_programs if programs[one.folder] == number),
            tuple(one for one in split.tables if tables.get(one.name, 0) == number),
        )


def sources(lookup: Lookup) -> tuple[str, ...]:
    """Name what a lookup takes."""
    return tuple(filter(None, (lookup.ids, lookup.offsets, lookup.weights)))


def _depths(split: Split) -> dict[str, int]:
    """Count the lookups before each value."""
    given = (*split.signature.inputs, *split.handed)
    depth = {tensor.name: 0 for tensor in given}
    programs, lookups = list(split.id_programs), list(split.lookups)
    while programs or lookups:
        ready = [one for one in programs if all(t.name in depth for t in one.signature.inputs)]
        for program in ready:
            depth |= dict.fromkeys(
                (t.name for t in program.signature.outputs), _first(program, depth)
            )
        read = [one for one in lookups if all(name in depth for name in sources(one))]
        depth |= {one.output: 1 + max(depth[name] for name in sources(one)) for one in read}
        if not ready and not read:
            break  # a composition that lacks something is told elsewhere
        programs = [one for one in programs if one not in ready]
        lookups = [one for one in lookups if one not in read]
    return depth


def _first(program: Artifact, depth: dict[str, int]) -> int:
    return max((depth.get(tensor.name, 0) for tensor in program.signature.inputs), default=0)
