"""An ONNX file, its weights inside or beside it."""

import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from converters.brief import Arrays, Brief, Inspection, SourceOptions
from converters.onnx_models.axes import name_output_axes
from converters.onnx_models.faults import external_files, faults, inline_functions
from converters.onnx_models.files import nodes, open_model, signature_of
from converters.onnx_models.guesses import big_tables, guess_axes, guess_inputs
from converters.onnx_models.inline import bring_in
from converters.onnx_models.match import take_names
from converters.onnx_models.piece import maker_of
from converters.onnx_models.reference import answering
from converters.onnx_models.shapes import infer_shapes
from converters.onnx_split.cut import cut
from converters.onnx_split.graph import read_graph
from converters.onnx_split.hoist import hoist_lookups
from converters.onnx_split.reads import find_reads
from converters.sources.source import Source
from converters.split.policy import SplitOptions
from converters.split.variable import kept_tables
from registry.composition import Artifact, Kept, Remark, Split
from registry.errors import SourceError
from registry.format import ENTRY, Format
from registry.progress import Progress
from registry.signature import Dim

if TYPE_CHECKING:
    import onnx

#: Older ones have operators that nothing reads the same way any more.
_OLDEST_OPSET = 11


class OnnxOptions(SourceOptions):
    """An `.onnx` file; external data is found beside it."""

    kind: Literal["onnx"] = "onnx"
    file: str


def files(options: SourceOptions, folder: Path) -> tuple[Path, ...]:
    """List the file and those that its weights lie in."""
    file = _file(_own(options), folder)
    return (file, *external_files(open_model(file), file.parent))


def split(brief: Brief, options: SplitOptions, out: Path, progress: Progress) -> Split:
    """Cut the graph, with the job's names; where no table is cut the model is the dense part."""
    file = _file(_own(brief.options), brief.folder)
    model = _read(file)
    take_names(model, brief.inputs, brief.outputs)
    named = infer_shapes(model)
    name_output_axes(named, brief, lambda: answering(file, brief))
    graph = read_graph(hoist_lookups(named, options))
    inputs = {given.name: given for given in brief.inputs}
    reads = find_reads(graph, inputs, options, partial(_is_never_empty, brief))
    out.mkdir(parents=True, exist_ok=True)
    if reads.cut:
        progress(1, 2, "steps")
        found = cut(graph, reads, brief, file.parent, out)
        progress(2, 2, "steps")
    else:
        _write(named, file.parent, out / "dense", progress)
        found = _uncut(named, kept_tables(reads.stuck, ()))
    told = Remark(by="onnx", text=f"opset {_opset(model)}, IR version {model.ir_version}")
    whole = found.model_copy(update={"remarks": (told, *found.remarks)})
    (out / "split.json").write_text(whole.model_dump_json(indent=2))
    return whole


def _is_never_empty(brief: Brief, dim: Dim) -> bool:
    """Say whether an axis has an entry in all that the job allows."""
    return dim > 0 if isinstance(dim, int) else dim in brief.axes and brief.axes[dim].min > 0


def _uncut(model: "onnx.ModelProto", kept: tuple[Kept, ...]) -> Split:
    """Describe the whole model as the dense part."""
    signature = signature_of(model)
    count = dict(Counter(node.op_type for node in nodes(model.graph)))
    return Split(
        signature=signature,
        ids=None,
        dense=Artifact(
            part="dense",
            format=Format.ONNX,
            folder="dense",
            signature=signature,
            maker=maker_of(model),
        ),
        tables=(),
        lookups=(),
        kept=kept,
        origins=(),
        nodes_before=count,
        nodes_after=count,
    )


def answers(brief: Brief) -> Callable[[Arrays], dict[str, np.ndarray]]:
    """Run the file as it came in ONNX Runtime, nothing optimised."""
    file = _file(_own(brief.options), brief.folder)
    _read(file)
    return answering(file, brief)


def inspect(options: SourceOptions, folder: Path, samples: Arrays) -> Inspection:
    """Read the inputs from the file."""
    model = _read(_file(_own(options), folder))
    signature = signature_of(model)
    inputs = guess_inputs(model, samples)
    return Inspection(
        inputs=inputs,
        outputs=tuple(tensor.name for tensor in signature.outputs),
        axes=guess_axes((given for given, _ in inputs), samples),
        tables=big_tables(model),
    )


def _own(options: SourceOptions) -> OnnxOptions:
    if not isinstance(options, OnnxOptions):
        raise TypeError(f"not an ONNX source: {options!r}")
    return options


def _file(options: OnnxOptions, folder: Path) -> Path:
    file = (folder / options.file).absolute()  # a link is not followed: data lie beside it
    if not file.is_file():
        raise SourceError(f"{file}: is not there")
    return file


def _read(file: Path) -> "onnx.ModelProto":
    """Read the graph and refuse what cannot be converted, or must not be trusted."""
    model = inline_functions(open_model(file))
    if (opset := _opset(model)) < _OLDEST_OPSET:
        raise SourceError(
            f"{file}: is of opset {opset}; from {_OLDEST_OPSET} on it can be read. Convert it with"
            " onnx.version_converter.convert_version, or export it again"
        )
    if found := faults(model, file.parent):
        raise SourceError(
            f"{file}: {'; '.join(found)}. Export it again: standard operators, weights that are"
            " numbers, and every file that belongs to it"
        )
    bring_in(model, file.parent)
    return model


def _opset(model: "onnx.ModelProto") -> int:
    return max(
        (one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), default=0
    )


def _write(model: "onnx.ModelProto", source: Path, out: Path, progress: Progress) -> None:
    """Write the graph; copy what lies outside it as it is."""
    out.mkdir(parents=True, exist_ok=True)
    outside = external_files(model, source)
    total = sum(file.stat().st_size for file in outside)
    done = 0
    for file in outside:
        copy = out / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        done += file.stat().st_size
        progress(done, total, "bytes")
    (out / ENTRY[Format.ONNX]).write_bytes(model.SerializeToString(deterministic=True))


SOURCE = Source(
    kind="onnx",
    options=OnnxOptions,
    files=files,
    split=split,
    answers=answers,
    inspect=inspect,
    dense=Format.ONNX,
)
