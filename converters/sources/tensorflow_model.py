"""A TensorFlow SavedModel, or a model that Keras saved; opened in a toolchain of its own."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator

from converters.brief import Arrays, Brief, Inspection, RefusalError, SourceOptions
from converters.quiet import quiet
from converters.sources.source import Source
from converters.split.policy import SplitOptions
from converters.tensorflow_graphs.cut import cut
from converters.tensorflow_graphs.graph import Graph
from converters.tensorflow_graphs.opening import open_keras, open_saved_model
from converters.tensorflow_graphs.pieces import Given
from converters.tensorflow_graphs.strings import is_text, past_text
from converters.tensorflow_graphs.words import write_words
from registry.composition import Split
from registry.errors import SourceError
from registry.format import Format
from registry.progress import Progress
from registry.signature import Input

#: What TensorFlow says of ids that it refuses.
_REFUSED = re.compile(r"indices[^\n]* is not in \[0, [^\n]*")


class TensorflowOptions(SourceOptions):
    """A folder of a SavedModel, or a `.keras` or `.h5` file.

    Attributes:
        signature: Of a SavedModel: the function that is called.
    """

    kind: Literal["tensorflow"] = "tensorflow"
    saved_model: str | None = None
    keras: str | None = None
    signature: str = "serving_default"

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.saved_model is None) == (self.keras is None):
            raise ValueError("name either `saved_model` or `keras`")
        return self


def files(options: SourceOptions, folder: Path) -> tuple[Path, ...]:
    """List the file, or those of the SavedModel's folder."""
    place = _place(_own(options), folder)
    return (place,) if place.is_file() else tuple(sorted(filter(Path.is_file, place.rglob("*"))))


def split(brief: Brief, options: SplitOptions, out: Path, progress: Progress) -> Split:
    """Cut the graph; its pieces become ONNX, its tables stay out of them."""
    graph = _open(_own(brief.options), brief.folder)
    given = _given(graph, brief)
    progress(1, 2, "steps")
    out.mkdir(parents=True, exist_ok=True)
    words = tuple(
        write_words(graph, name, tensor, out)
        for name, (tensor, _) in given.items()
        if is_text(graph.inputs[name])
    )
    with quiet("tf2onnx", "tf2onnx", "tensorflow") as remarks:
        found = cut(graph, given, brief, options, out)
    told = {"vocabularies": words, "remarks": (*found.remarks, *remarks)}
    whole = found.model_copy(update=told)
    (out / "split.json").write_text(whole.model_dump_json(indent=2))
    progress(2, 2, "steps")
    return whole


def answers(brief: Brief) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Let TensorFlow answer; text comes as the ids that it becomes."""
    import tensorflow as tf

    graph = _open(_own(brief.options), brief.folder)
    given = _given(graph, brief)
    names = brief.outputs or tuple(graph.outputs)
    function = graph.part((tensor for tensor, _ in given.values()), graph.outputs.values())

    def answer(arrays: Arrays) -> dict[str, np.ndarray]:
        feeds = [tf.constant(arrays[name], tensor.dtype) for name, (tensor, _) in given.items()]
        try:
            values = function(*feeds)
        except tf.errors.InvalidArgumentError as error:
            if said := _REFUSED.search(str(error)):
                raise RefusalError(said.group()) from error
            raise
        return {name: value.numpy() for name, value in zip(names, values, strict=True)}

    return answer


def inspect(options: SourceOptions, folder: Path, samples: Arrays) -> Inspection:  # noqa: ARG001
    """Refuse: a first job is written in the platform's environment, which has no TensorFlow."""
    raise SourceError(
        f"{_place(_own(options), folder)}: `pipeline init` does not open TensorFlow models. Write "
        "the job by hand; `pipeline check` says what is missing in it"
    )


def _own(options: SourceOptions) -> TensorflowOptions:
    if not isinstance(options, TensorflowOptions):
        raise TypeError(f"not a TensorFlow source: {options!r}")
    return options


def _place(options: TensorflowOptions, folder: Path) -> Path:
    return (folder / (options.saved_model or options.keras or "")).resolve()


def _open(options: TensorflowOptions, folder: Path) -> Graph:
    place = _place(options, folder)
    if options.saved_model is not None:
        return open_saved_model(place, options.signature)
    return open_keras(place)


def _given(graph: Graph, brief: Brief) -> Given:
    """Return what stands for each of the job's inputs.

    Raises:
        SourceError: The job's inputs or outputs are not the model's; every fault at once.
    """
    feeds = past_text(graph)
    wanted = {one.name: one for one in brief.inputs}
    faults = [f"the model has no input '{name}'" for name in wanted if name not in feeds]
    faults += [f"the job lacks the input {_shown(feeds, n)}" for n in feeds if n not in wanted]
    for name in (name for name in wanted if name in feeds):
        one, tensor = wanted[name], feeds[name]
        if not _fits(one, tensor):
            faults.append(f"the job has {one}, the model {_shown(feeds, name)}")
    if brief.outputs and len(brief.outputs) != len(graph.outputs):
        faults.append(f"the model has the outputs {', '.join(graph.outputs)}: name all or none")
    if faults:
        raise SourceError("the job and the model do not agree: " + "; ".join(faults))
    return {name: (feeds[name], one) for name, one in wanted.items()}


def _fits(one: Input, tensor: Any) -> bool:  # noqa: ANN401 - untyped
    """Hold an input against what the model takes; of words that are looked up no shape is known."""
    if one.dtype.value != tensor.dtype.name:
        return False
    if tensor.shape.rank is None:
        return True
    sizes = tensor.shape.as_list()
    return len(sizes) == len(one.shape) and all(
        size is None or size == dim for size, dim in zip(sizes, one.shape, strict=True)
    )


def _shown(feeds: Mapping[str, Any], name: str) -> str:
    sizes = feeds[name].shape
    if sizes.rank is None:
        return f"{name}: {feeds[name].dtype.name}"
    shape = ", ".join("?" if size is None else str(size) for size in sizes.as_list())
    return f"{name}: {feeds[name].dtype.name}[{shape}]"


SOURCE = Source(
    kind="tensorflow",
    options=TensorflowOptions,
    files=files,
    split=split,
    answers=answers,
    inspect=inspect,
    dense=Format.ONNX,
    toolchain="tensorflow",
)
