"""Open what a job names before its model and after it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from converters.processing.columns import features_of
from converters.processing.estimator import Estimator, Piece
from converters.processing.onnx_graph import OnnxGraph
from converters.processing.options import Answer, Postprocess, Preprocess
from converters.processing.processor import Processor
from converters.processing.skops_file import open_estimator
from registry.errors import SourceError
from registry.signature import Input


def open_before(options: Preprocess, folder: Path, inputs: Sequence[Input]) -> Processor:
    """Open what makes the model's inputs of users' inputs.

    Args:
        folder: The job file's folder.
        inputs: What users send.

    Raises:
        SourceError: The file cannot be read, or takes what there is not.
    """
    opened = _BEFORE[_kind(folder / options.file)](options, folder / options.file, inputs)
    _check_taken(opened, [one.name for one in inputs], "input")
    return opened


def open_after(options: Postprocess, folder: Path) -> Processor:
    """Open what makes answers of the model's outputs.

    Raises:
        SourceError: The file cannot be read.
    """
    return _AFTER[_kind(folder / options.file)](options, folder / options.file)


def check_outputs(opened: Processor, outputs: Sequence[str]) -> None:
    """Refuse post-processing that takes outputs which the model does not have."""
    _check_taken(opened, outputs, "output")


def _kind(file: Path) -> str:
    """Tell the kind of a file by its name; pickles by any name are told by what is in them."""
    return ".onnx" if file.suffix.lower() == ".onnx" else ".skops"


def _check_taken(opened: Processor, known: Sequence[str], what: str) -> None:
    if lacking := [name for name in opened.takes if name not in known]:
        raise SourceError(
            f"{opened.file}: takes {', '.join(lacking)}, and there is no {what} of that name; "
            f"there are {', '.join(known)}. Name them in `takes`, in the order of its columns"
        )


def _estimator_before(options: Preprocess, file: Path, inputs: Sequence[Input]) -> Estimator:
    fitted = open_estimator(file)
    if not hasattr(fitted, "transform"):
        raise SourceError(f"{file}: {type(fitted).__name__} transforms nothing; take one that does")
    takes = options.takes or features_of(fitted)
    if not takes:
        raise SourceError(
            f"{file}: was fitted without names of columns: say in `takes` which inputs they are, "
            f"in order; there are {', '.join(one.name for one in inputs)}"
        )
    ends = list(accumulate(map(_width, options.gives)))
    starts = (0, *ends)
    pieces = tuple(
        Piece(one.name, "transform", range(start, end), one)
        for one, start, end in zip(options.gives, starts, ends, strict=False)
    )
    return Estimator(file, fitted, takes, pieces)


def _width(one: Input) -> int:
    last = one.shape[-1] if len(one.shape) == 2 else 1
    if len(one.shape) not in (1, 2) or not isinstance(last, int):
        raise SourceError(
            f"preprocess.gives: {one} has no number of columns: its shape has to be [rows] or "
            "[rows, NUMBER]"
        )
    return last


def _estimator_after(options: Postprocess, file: Path) -> Estimator:
    fitted = open_estimator(file)
    takes = options.takes or features_of(fitted)
    if not takes:
        raise SourceError(f"{file}: say in `takes` which outputs of the model its columns are")
    pieces = []
    for one in options.gives:
        method = one.method or "predict"
        if not hasattr(fitted, method):
            raise SourceError(
                f"{file}: {type(fitted).__name__} has no {method}, which '{one.name}' asks for: "
                "say another `method`"
            )
        columns = None if one.column is None else range(one.column, one.column + 1)
        pieces.append(Piece(one.name, method, columns))
    return Estimator(file, fitted, takes, tuple(pieces))


def _onnx_before(options: Preprocess, file: Path, inputs: Sequence[Input]) -> OnnxGraph:  # noqa: ARG001  it knows its own
    return OnnxGraph(file, tuple(one.name for one in options.gives), options.gives)


def _onnx_after(options: Postprocess, file: Path) -> OnnxGraph:
    return OnnxGraph(file, tuple(map(_plain_name, options.gives)))


def _plain_name(one: Answer) -> str:
    if one.method or one.column is not None:
        raise SourceError(
            f"postprocess.gives: '{one.name}' is an output of an ONNX file, which has no method "
            "and no column: take these out"
        )
    return one.name


_BEFORE: Mapping[str, Callable[[Preprocess, Path, Sequence[Input]], Processor]] = {
    ".onnx": _onnx_before,
    ".skops": _estimator_before,
}
_AFTER: Mapping[str, Callable[[Postprocess, Path], Processor]] = {
    ".onnx": _onnx_after,
    ".skops": _estimator_after,
}
