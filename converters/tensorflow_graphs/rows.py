"""The rows of variables, as files that tables are streamed from."""

from collections.abc import Iterator
from pathlib import Path

from converters.checkpoints.rows_file import ROWS, write_rows
from converters.split.variable import Variable
from converters.tensorflow_graphs.graph import Graph
from registry.composition import Origin

_CHUNK = 16 << 20


def write_variable(graph: Graph, variable: Variable, out: Path) -> Origin:
    """Write a variable to `origins/`, some rows at a time; TensorFlow holds it as it is."""
    file = Path("origins") / f"{variable.name}.safetensors"
    shape = (variable.rows, variable.dim)
    write_rows(out / file, variable.dtype, shape, _pieces(graph, variable))
    return Origin(table=variable.name, file=file.as_posix(), key=ROWS)


def _pieces(graph: Graph, variable: Variable) -> Iterator[bytes]:
    import tensorflow as tf

    step = max(1, _CHUNK // (variable.dim * variable.dtype.bytes))
    handle = graph.resource(variable.tensor)
    for start in range(0, variable.rows, step):
        ids = tf.range(start, min(start + step, variable.rows), dtype=tf.int64)
        rows = tf.raw_ops.ResourceGather(resource=handle, indices=ids, dtype=variable.dtype.value)
        yield rows.numpy().tobytes()
