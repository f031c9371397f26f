"""The words that a model looked up, written beside the tables: a client has to do it now."""

import json
from pathlib import Path
from typing import Any

from converters.tensorflow_graphs.graph import Graph, ancestors
from registry.composition import Vocabulary

#: Words that no vocabulary has: where these come to one id, all unknown words do.
_UNHEARD_OF = tuple(f"\x00unheard of {number}" for number in range(16))


def write_words(graph: Graph, name: str, ids: Any, out: Path) -> Vocabulary:  # noqa: ANN401 - untyped
    """Write the id of each word that the model knows as `words/<input>.json`.

    Args:
        name: The input that was text.
        ids: The tensor that it becomes.
    """
    known = _known(graph, ids)
    numbers = _look_up(graph, name, ids, [*known, *_UNHEARD_OF])
    unknown = set(numbers[len(known) :])
    file = Path("words") / f"{name}.json"
    (out / file).parent.mkdir(exist_ok=True)
    found = dict(zip(known, numbers, strict=False))
    (out / file).write_text(json.dumps(found, ensure_ascii=False, indent=0))
    return Vocabulary(
        input=name,
        file=file.as_posix(),
        words=len(known),
        unknown=unknown.pop() if len(unknown) == 1 else None,
    )


def _known(graph: Graph, ids: Any) -> list[str]:  # noqa: ANN401 - untyped
    """List the words of the lookup tables that ids come from; hashed words are in none."""
    import tensorflow as tf

    found: dict[str, None] = {}
    for tensor in ancestors(ids):
        if tensor.op.type != "LookupTableFindV2" or tensor.op.inputs[1].dtype != tf.string:
            continue
        table = next(one for one in ancestors(tensor.op.inputs[0]) if one.op.type == "Placeholder")
        words, _ = tf.raw_ops.LookupTableExportV2(
            table_handle=graph.resource(table.name), Tkeys=tf.string, Tvalues=tensor.dtype
        )
        found |= dict.fromkeys(word.decode("utf-8", "replace") for word in words.numpy().tolist())
    return sorted(found)


def _look_up(graph: Graph, name: str, ids: Any, words: list[str]) -> list[int]:  # noqa: ANN401 - untyped
    """Let the model say which ids words become."""
    import tensorflow as tf

    text = graph.inputs[name]
    (found,) = graph.part([text], [ids])(
        tf.reshape(tf.constant(words), [-1] + [1] * (text.shape.rank - 1))
    )
    return [int(number) for number in found.numpy().ravel()]
