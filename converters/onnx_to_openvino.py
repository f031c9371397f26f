"""ONNX to OpenVINO IR."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from converters.converter import Converter, ConvertOptions
from converters.onnx_legal import REWRITES, Rewrite, is_needed, legal_file
from converters.onnx_legal.ties import settle_ties
from converters.onnx_legal.unread import keep_apart, with_all_inputs
from converters.onnx_models.files import nodes, open_model
from converters.onnx_models.integers import check_integers
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.graphs.attention import mask_attention
from registry.require import require
from registry.signature import ANY, Dim, DType, Signature, Tensor

DTYPES: dict[str, DType] = {
    "f64": DType.FLOAT64,
    "f32": DType.FLOAT32,
    "f16": DType.FLOAT16,
    "bf16": DType.BFLOAT16,
    "i64": DType.INT64,
    "i32": DType.INT32,
    "i16": DType.INT16,
    "i8": DType.INT8,
    "u8": DType.UINT8,
    "boolean": DType.BOOL,
}

STANDARD = re.compile(r"opset\d+")
UNSUPPORTED = re.compile(r"No conversion rule found for operations: (.+)")
NUMBERED = re.compile(r"(.+)_\d+")
FP16_MAX = float(np.finfo(np.float16).max)
SHOWN = 5


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.xml` and `model.bin`.

    Raises:
        ConversionError: An operator cannot be converted, or weights do not fit into what
            they are to be stored in.
    """
    return convert_with(REWRITES, source, out, options)


def convert_with(
    rewrites: Sequence[Rewrite], source: Path, out: Path, options: ConvertOptions
) -> str:
    """Do so with some of the rewrites."""
    openvino = require("openvino", extra="convert")
    if options.weights not in ("f32", "f16"):
        raise ConversionError(
            f"OpenVINO IR stores weights as f32 or f16, not as {options.weights}; "
            f"write weights: f32 (precision: {options.weights} computes in it all the same)"
        )
    file = source / ENTRY[Format.ONNX]
    version = openvino.get_version()
    needed = [row for row in rewrites if is_needed(row, version)]
    with legal_file(file, needed, out.parent) as legal:
        try:
            model = openvino.convert_model(legal)
        except Exception as error:
            raise ConversionError(_explain(file, str(error))) from error
        graph = open_model(file).graph
        keep_apart(model, graph)
        model = with_all_inputs(model, graph)
        settle_ties(model)
        mask_attention(openvino, model)
        _keep_names(model, file)
        _number_names(model, file)
        if options.weights == "f16" and (wide := _beyond_fp16(model)):
            raise ConversionError(
                f"{file}: {len(wide)} weights do not fit into f16: {'; '.join(wide[:SHOWN])}. "
                f"Write weights: f32"
            )
        out.mkdir(parents=True, exist_ok=True)
        path = out / ENTRY[Format.OPENVINO_IR]
        openvino.save_model(model, path, compress_to_fp16=options.weights == "f16")
    return f"openvino {version}"


def read_signature(folder: Path) -> Signature:
    """Read the signature from the written IR alone."""
    model = _read(folder)
    return Signature(
        inputs=tuple(map(_tensor, model.inputs)), outputs=tuple(map(_tensor, model.outputs))
    )


def inspect(folder: Path) -> tuple[str, ...]:
    """List operators that need an extension, and weights that are not there."""
    try:
        model = _read(folder)
    except Exception as error:  # noqa: BLE001 - the framework's own errors have no kind
        return (f"{ENTRY[Format.OPENVINO_IR]} cannot be read back: {error}",)
    return tuple(
        f"operator {info.name} of node '{operator.get_friendly_name()}' is of {info.version_id}, "
        f"not of a standard opset"
        for operator in model.get_ops()
        if not STANDARD.fullmatch((info := operator.get_type_info()).version_id)
    )


def _read(folder: Path) -> Any:  # noqa: ANN401 - untyped
    openvino = require("openvino", extra="convert")
    return openvino.Core().read_model(folder / ENTRY[Format.OPENVINO_IR])


def _keep_names(model: Any, file: Path) -> None:  # noqa: ANN401 - untyped
    """Leave each input and output the one name that ONNX has for it."""
    graph = open_model(file).graph
    inside = {tensor.name for tensor in graph.initializer}
    wanted = ([entry.name for entry in graph.input if entry.name not in inside], graph.output)
    for ports, names in zip((model.inputs, model.outputs), wanted, strict=True):
        known = [getattr(name, "name", name) for name in names]
        if [name for name, port in zip(known, ports, strict=False) if name in port.names] != known:
            found = [sorted(port.names) for port in ports]
            raise ConversionError(f"{file}: OpenVINO turned the names {known} into {found}")
        for name, port in zip(known, ports, strict=True):
            port.set_names({name})


def _number_names(model: Any, file: Path) -> None:  # noqa: ANN401 - untyped
    """Number the nodes that OpenVINO made itself by their place.

    It numbers them by how many the process has made so far; equal models would get different
    files, and so different versions.
    """
    graph = open_model(file).graph
    given = {node.name for node in graph.node} | {name for n in graph.node for name in n.output}
    for number, operator in enumerate(model.get_ordered_ops()):
        name = operator.get_friendly_name()
        if name not in given and (made := NUMBERED.fullmatch(name)):
            operator.set_friendly_name(f"{made[1]}_{number}")


def _beyond_fp16(model: Any) -> list[str]:  # noqa: ANN401 - untyped
    """List float weights that f16 cannot hold; saving would clip them silently."""
    found = []
    for operator in model.get_ops():
        if operator.get_type_name() != "Constant" or not operator.get_element_type().is_real():
            continue
        data = np.asarray(operator.data)
        if data.size and (largest := float(np.abs(data).max())) > FP16_MAX:
            found.append(f"'{operator.get_friendly_name()}' goes up to {largest:g}")
    return found


def _explain(file: Path, text: str) -> str:
    """Name the nodes, and where it is known the modules, whose operators are not supported."""
    matched = UNSUPPORTED.search(text)
    if not matched:
        return f"{file}: OpenVINO cannot convert it: {text.strip()}"
    missing = {name.strip() for name in matched[1].split(",")}
    bare = {re.sub(r"-\d+$", "", name) for name in missing}
    places = []
    for node in nodes(open_model(file).graph):
        full = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
        if full in bare:
            module = {entry.key: entry.value for entry in node.metadata_props}.get("module")
            place = f" of module '{module}'" if module else ""
            places.append(f"{full} (node '{node.name or node.output[0]}'{place})")
    return (
        f"{file}: OpenVINO has no {', '.join(places[:SHOWN]) or ', '.join(sorted(missing))}. "
        f"Replace the operator in the model, or build for onnxruntime"
    )


def _tensor(port: Any) -> Tensor:  # noqa: ANN401 - untyped
    shape: list[Dim] = [
        ANY if size.is_dynamic else size.get_length() for size in port.partial_shape
    ]
    kind = port.element_type.get_type_name()
    if kind not in DTYPES:
        raise ConversionError(f"{port.any_name}: has the element type {kind}, which is not known")
    return Tensor(name=port.any_name, dtype=DTYPES[kind], shape=tuple(shape))


CONVERTER = Converter(
    source=Format.ONNX,
    result=Format.OPENVINO_IR,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
    guard=check_integers,
    in_target=True,
)
