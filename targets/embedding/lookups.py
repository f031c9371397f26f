"""Lookups over mapped tables, in plain numpy, with torch's answers to the bit.

A bag's rows are added one after the other in float32, as torch does; numpy's own sums
along a contiguous axis add in pairs and round differently. Bags are therefore walked
side by side: the first row of each, then the second of each, and so on. This is also
the fastest way that numpy has: one gather and one addition a step, both in the cache.
Removing repeated ids first was measured and costs more than it saves.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from registry.composition import Lookup
from registry.errors import InputError
from targets.embedding.bfloat16 import round_away, round_to_even
from targets.embedding.offsets import Cut, offset_fault
from targets.embedding.tables import MappedTable
from targets.embedding.unknown import UNSIGNED, rows_of

Arrays = Mapping[str, np.ndarray]

#: Accumulators and one gathered row a bag stay in the second-level cache. From 128 KiB on,
#: glibc would ask the kernel for fresh pages each time.
BLOCK_BYTES = 120 << 10

#: Rows that are gathered ahead at most.
NEAR_BYTES = 4 << 20

#: With fewer bags than this left to walk, what remains of each is gathered at once.
FEW_BAGS = 8

COMBINE: dict[str, np.ufunc] = {"sum": np.add, "mean": np.add, "max": np.maximum}


@dataclass(frozen=True)
class Bags:
    """Ids [n], where each bag starts [b] and how many ids it has [b], and weights [n]."""

    ids: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    weights: np.ndarray | None


def look_up(lookup: Lookup, table: MappedTable, arrays: Arrays) -> np.ndarray:
    """Read a table.

    Args:
        arrays: int32 or int64 ids, and where the lookup has them offsets of the same
            kinds [bags] and weights shaped as the ids.

    Returns:
        ids.shape + [dim] for an embedding, [bags, dim] for bags; `lookup.dtype`.

    Raises:
        InputError: An id is out of bounds and the table has no other answer to it, an offset is,
            or shapes do not go together.
    """
    ids = arrays[lookup.ids]
    flat, table = rows_of(lookup.ids, ids, table)
    if lookup.kind == "embedding":
        rows = np.empty((flat.size, table.dim), table.dtype)
        table.take(flat, rows)
        return rows.reshape(*ids.shape, table.dim).astype(lookup.dtype.value, copy=False)
    bags = _without_padding(_bags(lookup, ids.shape, flat, arrays), lookup.padding)
    pooled = _pool(bags, table, COMBINE[lookup.mode or "sum"])
    exact, sums = pooled.dtype, _added_up(pooled, lookup, table)
    if lookup.mode != "mean":
        return sums
    # torch rounds a sum, and how many there are, to what it answers in, and divides; multiplying by
    # the reciprocal would round differently.
    counts = _held(np.maximum(bags.lengths, 1).astype(exact)[:, None], lookup, table)
    quotients = sums.astype(exact, copy=False)
    quotients /= counts.astype(exact, copy=False)
    return _held(quotients, lookup, table)


def _added_up(sums: np.ndarray, lookup: Lookup, table: MappedTable) -> np.ndarray:
    """Round sums as torch does, or FBGEMM for it, which adds bags up unless ids are padding."""
    if table.bfloat16 and lookup.padding is None:
        return round_away(sums)
    return _held(sums, lookup, table)


def _held(numbers: np.ndarray, lookup: Lookup, table: MappedTable) -> np.ndarray:
    """Round numbers to what the model's own bags answer in."""
    if table.bfloat16:
        return round_to_even(numbers)
    return numbers.astype(lookup.dtype.value, copy=False)


def _bags(lookup: Lookup, shape: tuple[int, ...], flat: np.ndarray, arrays: Arrays) -> Bags:
    weights = _weights(lookup, shape, arrays)
    if lookup.offsets is not None:
        if len(shape) != 1:
            raise InputError(f"{lookup.ids}: has shape {list(shape)}; with offsets, ids are 1-D")
        starts, lengths = _cut(lookup, arrays[lookup.offsets], flat.size)
        return Bags(flat, starts, lengths, weights)
    if len(shape) != 2:
        raise InputError(f"{lookup.ids}: has shape {list(shape)}; bags without offsets are 2-D")
    count, length = shape
    starts = np.arange(count, dtype=np.int64) * length
    return Bags(flat, starts, np.full(count, length, dtype=np.int64), weights)


def _weights(lookup: Lookup, shape: tuple[int, ...], arrays: Arrays) -> np.ndarray | None:
    if lookup.weights is None:
        return None
    weights = arrays[lookup.weights]
    if weights.shape != shape:
        raise InputError(
            f"{lookup.weights}: has shape {list(weights.shape)}, but {lookup.ids}, which it "
            f"weighs, has {list(shape)}"
        )
    return np.ascontiguousarray(weights).reshape(-1)


def _cut(lookup: Lookup, offsets: np.ndarray, total: int) -> tuple[np.ndarray, np.ndarray]:
    """Turn offsets into starts and lengths, by torch's rules for offsets."""
    name = lookup.offsets or ""
    if offsets.ndim != 1 or offsets.dtype not in UNSIGNED:
        raise InputError(
            f"{name}: offsets have to be int32 or int64 of one axis, "
            f"not {offsets.dtype}{list(offsets.shape)}"
        )
    given = Cut(name, lookup.ids, total, includes_last=lookup.includes_last)
    if fault := offset_fault(given, offsets):
        raise InputError(fault)
    ends = offsets.astype(np.int64)
    if not lookup.includes_last:
        ends = np.append(ends, total)
    return ends[:-1], np.diff(ends)


def _without_padding(bags: Bags, padding: int | None) -> Bags:
    if padding is None:
        return bags
    kept = bags.ids != padding
    if kept.all():
        return bags
    before = np.zeros(bags.ids.size + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    starts = before[bags.starts]
    return Bags(
        ids=bags.ids[kept],
        starts=starts,
        lengths=before[bags.starts + bags.lengths] - starts,
        weights=None if bags.weights is None else bags.weights[kept],
    )


def _pool(bags: Bags, table: MappedTable, combine: np.ufunc) -> np.ndarray:
    """Combine each bag's rows, in order; an empty bag gives zeros."""
    dtype = np.dtype(np.float64 if table.dtype == np.float64 else np.float32)
    if bags.ids.size == 0 or bags.starts.size == 0:
        return np.zeros((bags.starts.size, table.dim), dtype)
    pooled = np.empty((bags.starts.size, table.dim), dtype)
    block = max(16, BLOCK_BYTES // (table.dim * dtype.itemsize))
    if (bags.lengths == bags.lengths[0]).all():
        for first in range(0, len(pooled), block):
            chosen = slice(first, first + block)
            _walk(*_near(_chosen(bags, chosen), table), combine, pooled[chosen])
        return pooled
    order = np.argsort(-bags.lengths, kind="stable")
    for first in range(0, len(pooled), block):
        members = order[first : first + block]
        some = np.empty((members.size, table.dim), dtype)
        _walk(*_near(_chosen(bags, members), table), combine, some)
        pooled[members] = some
    return pooled


def _chosen(bags: Bags, members: np.ndarray | slice) -> Bags:
    return Bags(bags.ids, bags.starts[members], bags.lengths[members], bags.weights)


def _near(bags: Bags, table: MappedTable) -> tuple[Bags, MappedTable]:
    """Bring the rows of a few bags together first, where they are scattered over files."""
    total = int(bags.lengths.sum())
    if not table.scattered or total * table.dim * table.dtype.itemsize > NEAR_BYTES:
        return bags, table
    starts = np.cumsum(bags.lengths) - bags.lengths
    places = np.repeat(bags.starts - starts, bags.lengths) + np.arange(total)
    weights = None if bags.weights is None else bags.weights[places]
    near = Bags(np.arange(total), starts, bags.lengths, weights)
    return near, table.gathered(bags.ids[places])


def _walk(bags: Bags, table: MappedTable, combine: np.ufunc, out: np.ndarray) -> None:
    """Combine row after row of all bags, of which the longest come first."""
    longest = int(bags.lengths[0])
    # How many bags have a row at each step.
    alive = np.searchsorted(-bags.lengths, -np.arange(longest), side="left").tolist()
    _first_rows(bags, alive[0] if longest else 0, table, out)
    rows = np.empty(out.shape, table.dtype)
    at = bags.starts.copy()
    for step in range(1, longest):
        count = alive[step]
        if count < FEW_BAGS and longest - step > FEW_BAGS:
            for bag in range(count):
                _finish(bags, bag, step, table, combine, out)
            break
        at += 1
        here, values = at[:count], rows[:count]
        table.take(bags.ids.take(here), values)
        if bags.weights is not None:
            values *= bags.weights.take(here)[:, None]
        combine(out[:count], values, out=out[:count])
    if combine is np.add:
        out += 0  # torch starts at 0, so that its sums are never -0


def _first_rows(bags: Bags, count: int, table: MappedTable, out: np.ndarray) -> None:
    """Write the first row of each of `count` bags, and zeros for the others."""
    starts = bags.starts[:count]
    narrow = table.dtype != out.dtype
    first = np.empty(out[:count].shape, table.dtype) if narrow else out[:count]
    table.take(bags.ids.take(starts), first)
    if bags.weights is not None:
        first *= bags.weights.take(starts)[:, None]
    if narrow:
        out[:count] = first
    out[count:] = 0


def _finish(
    bags: Bags, bag: int, step: int, table: MappedTable, combine: np.ufunc, out: np.ndarray
) -> None:
    """Combine the rows of one bag from a step on, chunk by chunk."""
    start, end = int(bags.starts[bag]) + step, int(bags.starts[bag] + bags.lengths[bag])
    chunk = max(16, BLOCK_BYTES // (table.dim * out.itemsize))
    for first in range(start, end, chunk):
        at = slice(first, min(first + chunk, end))
        rows = np.empty((at.stop - at.start, table.dim), table.dtype)
        table.take(bags.ids[at], rows)
        if bags.weights is not None:
            rows *= bags.weights[at, None]
        carried = np.concatenate([out[bag : bag + 1], rows])
        # `accumulate` is the one reduction that numpy never takes in pairs.
        out[bag] = combine.accumulate(carried.astype(out.dtype, copy=False), axis=0)[-1]
