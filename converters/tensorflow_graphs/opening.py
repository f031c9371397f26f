"""Open a SavedModel or a Keras file; no code of theirs is run but TensorFlow's own operations."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from converters.tensorflow_graphs.graph import Graph, inline
from registry.errors import SourceError


def open_saved_model(folder: Path, signature: str) -> Graph:
    """Open a signature of a SavedModel.

    Raises:
        SourceError: It cannot be loaded, or has no such signature.
    """
    import tensorflow as tf

    try:
        with _for_inference(folder) as bare:
            model = tf.saved_model.load(str(bare))
    except Exception as error:
        raise SourceError(f"{folder}: TensorFlow cannot load it: {_last(error)}") from error
    if signature not in model.signatures:
        known = ", ".join(model.signatures) or "none at all"
        raise SourceError(f"{folder}: has no signature '{signature}'; it has {known}")
    concrete = model.signatures[signature]
    _, named = concrete.structured_input_signature
    inputs = {str(name): concrete.graph.get_tensor_by_name(f"{name}:0") for name in named}
    return inline(concrete, inputs, _outputs(concrete), model)


@contextmanager
def _for_inference(folder: Path) -> Iterator[Path]:
    """Yield a SavedModel without the state of its optimizer.

    An optimizer that this TensorFlow does not know has no place for that, and the whole model
    would not load for it.
    """
    from tensorflow.core.protobuf import saved_model_pb2

    kept = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    for graph in kept.meta_graphs:
        for node in graph.object_graph_def.nodes:
            del node.slot_variables[:]
    with TemporaryDirectory() as name:
        bare = Path(name)
        for entry in folder.iterdir():
            if entry.name != "saved_model.pb":
                (bare / entry.name).symlink_to(entry.resolve())
        (bare / "saved_model.pb").write_bytes(kept.SerializeToString())
        yield bare


def open_keras(file: Path) -> Graph:
    """Open a model that Keras saved; layers that hold code of their own are refused.

    Raises:
        SourceError: It cannot be loaded, or does not say its inputs.
    """
    import keras
    import tensorflow as tf

    try:
        model = keras.models.load_model(file, compile=False, safe_mode=True)
        taken = keras.tree.flatten(model.input)
        returned = model.output
    except Exception as error:
        raise SourceError(
            f"{file}: Keras cannot load it as it is: {_last(error)}. Export it where it was made, "
            "with model.export(FOLDER), and name that as `saved_model`"
        ) from error
    wanted = [tf.TensorSpec(one.shape, one.dtype, name=one.name) for one in taken]
    names = list(returned) if isinstance(returned, dict) else model.output_names

    def call(*given: Any) -> dict[str, Any]:  # noqa: ANN401 - untyped
        answer = model(keras.tree.pack_sequence_as(model.input, given), training=False)
        if isinstance(answer, dict):
            return {name: answer[name] for name in names}
        return dict(zip(names, keras.tree.flatten(answer), strict=True))

    concrete = tf.function(call, input_signature=wanted).get_concrete_function()
    inputs = dict(zip((one.name for one in taken), concrete.inputs, strict=False))
    return inline(concrete, inputs, _outputs(concrete), model)


def _outputs(concrete: Any) -> Mapping[str, Any]:  # noqa: ANN401 - untyped
    """Name a function's outputs; TensorFlow gives them in the order of their names."""
    names = sorted(concrete.structured_outputs)
    return dict(zip(names, concrete.outputs, strict=True))


def _last(error: Exception) -> str:
    return next(reversed(str(error).strip().splitlines()), type(error).__name__)
