"""Stream the tables to shards."""

from pydantic import Field

from registry.composition import Table
from registry.signature import Frozen


class Options(Frozen):
    """Reads the folder `split`.

    Attributes:
        shard_bytes: Of the job's `split`.
    """

    shard_bytes: int = Field(ge=1)


class Tables(Frozen):
    """What `tables.json` holds: every table that was cut out, with its shards."""

    tables: tuple[Table, ...]
