"""Drafts of versions whose table is real: safetensors shards, whose rows can be changed."""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from registry.composition import Shard
from registry.manifest import Draft
from tests.drafts import write_draft

DIM, SHARD_ROWS = 16, 256


def some_rows(count: int, seed: int = 0) -> np.ndarray:
    """Make rows [count, DIM] of float32."""
    return np.random.default_rng(seed).random((count, DIM), np.float32)


def change_rows(rows: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Give rows of which a share, scattered, holds other values."""
    chance, other = np.random.default_rng(seed), rows.copy()
    chosen = chance.choice(len(rows), round(len(rows) * share), replace=False)
    other[chosen] = chance.random((len(chosen), rows.shape[1]), np.float32)
    return other


def write_table_draft(folder: Path, rows: np.ndarray) -> Draft:
    """Write a version's folder with these rows as its table, and return its draft."""
    draft = write_draft(folder)
    shards = []
    for number, start in enumerate(range(0, len(rows), SHARD_ROWS)):
        some = rows[start : start + SHARD_ROWS]
        name = f"tables/items/{number:06d}.safetensors"
        save_file({"rows": np.ascontiguousarray(some)}, folder / name)
        shards.append(Shard(file=name, start=start, rows=len(some)))
    table = draft.tables[0].model_copy(
        update={"rows": len(rows), "dim": rows.shape[1], "shards": tuple(shards)}
    )
    return draft.model_copy(update={"tables": (table,)})
