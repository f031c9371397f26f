"""The rows of variables, as files that tables are streamed from."""

from pathlib import Path

from converters.checkpoints.safetensors_file import header
from converters.tensorflow_graphs.graph import Graph
from converters.tensorflow_graphs.reads import Variable
from registry.composition import Origin

_CHUNK = 16 << 20


def write_rows(graph: Graph, variable: Variable, out: Path) -> Origin:
    """Write a variable to `origins/`, some rows at a time; TensorFlow holds it as it is."""
    import tensorflow as tf

    file = Path("origins") / f"{variable.name}.safetensors"
    (out / file).parent.mkdir(parents=True, exist_ok=True)
    step = max(1, _CHUNK // (variable.dim * variable.dtype.bytes))
    handle = graph.resource(variable.tensor)
    shape = (variable.rows, variable.dim)
    with (out / file).open("wb") as stream:
        stream.write(header("rows", variable.dtype, shape, variable.bytes))
        for start in range(0, variable.rows, step):
            ids = tf.range(start, min(start + step, variable.rows), dtype=tf.int64)
            rows = tf.raw_ops.ResourceGather(
                resource=handle, indices=ids, dtype=variable.dtype.value
            )
            stream.write(rows.numpy().tobytes())
    return Origin(table=variable.name, file=file.as_posix(), key="rows")
