"""How large the shards of a table are: small enough that a small change ships little."""

#: A table is cut into this many shards at most, so that 1% of it, in a row, is a few of them.
_OF_A_TABLE = 256

#: And all tables of a model into this many: each is mapped by itself, and Linux lets a process
#: have 65,530 maps.
_OF_A_MODEL = 16_384

#: Smaller ones would cost more in requests and headers than they save.
SMALLEST = 1 << 20


def shard_size(table: int, model: int, largest: int) -> int:
    """Return the bytes of a shard, given the bytes of its table and of all tables of the model.

    A power of two, or the largest that is allowed: a table that grows keeps the cuts that it has,
    and with them the shards that did not change, until it has doubled.
    """
    wanted = max(SMALLEST, table / _OF_A_TABLE, model / _OF_A_MODEL)
    return min(largest, 1 << (int(wanted) - 1).bit_length())
