"""ONNX to TorchScript, optimised by Intel Extension for PyTorch.

    model.pt    a frozen TorchScript module, and in it what that has no place for:
                signature.json      names, dtypes and shapes
                sizes.json          sizes of the free axes that it was run with

It is traced with the importer's arithmetic of shapes, which keeps free axes free, and then run
with other sizes than those of the trace.
"""

import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from converters.converter import Converter, ConvertOptions
from converters.onnx_models.files import open_model, signature_of
from converters.onnx_to_torch import import_model
from converters.quiet import quiet
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.require import require
from registry.signature import ANY, Dim, DType, Signature, Tensor

SIGNATURE, SIZES = "signature.json", "sizes.json"

#: Sizes that free axes are tried with: small, and what networks of images need at least.
_LEAST = (3, 32, 224)

#: Namespaces of operators that the runtime has.
_NAMESPACES = ("aten", "prim", "ipex", "ipex_prepack", "torch_ipex", "quantized")

#: What TorchScript keeps for its own error messages: paths and counters of this process.
_TRACES = re.compile(r"\.debug_pkl$|/\.data/serialization_id$")

#: Where it names classes, and how it keeps those of one name apart.
_NAMED = re.compile(r"/code/.*\.py$|/data\.pkl$")
_NUMBERED = re.compile(rb"___torch_mangle_(\d+)")


def convert(source: Path, out: Path, options: ConvertOptions) -> str:
    """Write `model.pt`.

    Raises:
        ConversionError: An operator is not supported, or the traced module does not run with
            other sizes of its free axes than it was traced with.
    """
    torch, ipex = _frameworks()
    if options.weights != "f32":
        raise ConversionError(f"TorchScript keeps weights as f32 here, not as {options.weights}")
    file = source / ENTRY[Format.ONNX]
    signature = signature_of(open_model(file))
    with quiet("ipex"), torch.no_grad():
        module = ipex.optimize(import_model(file).eval(), dtype=torch.float32, inplace=True)
        traced, tried = _trace(module, signature, file)
    out.mkdir(parents=True, exist_ok=True)
    texts = {SIGNATURE: signature.model_dump_json(), SIZES: json.dumps(tried)}
    torch.jit.save(traced, out / "traced.pt", _extra_files=texts)
    _strip(out / "traced.pt", out / ENTRY[Format.TORCHSCRIPT])
    return f"intel-extension-for-pytorch {ipex.__version__}, torch {torch.__version__}"


def read_signature(folder: Path) -> Signature:
    """Run the written module with two sizes of its axes, and tell what came of it."""
    module, signature, tried = _load(folder)
    one, other = (_run(module, signature, sizes) for sizes in tried)
    outputs = tuple(
        Tensor(name=tensor.name, dtype=_dtype(first), shape=shape)
        for tensor, first, shape in zip(
            signature.outputs, one, map(_shape, one, other), strict=True
        )
    )
    return Signature(inputs=signature.inputs, outputs=outputs)


def inspect(folder: Path) -> tuple[str, ...]:
    """List operators that the runtime has not."""
    try:
        module, _, _ = _load(folder)
    except Exception as error:  # noqa: BLE001 - the framework's own errors have no kind
        return (f"{ENTRY[Format.TORCHSCRIPT]} cannot be read back: {error}",)
    kinds = {node.kind() for node in _nodes(module.inlined_graph)}
    foreign = sorted(kind for kind in kinds if kind.partition("::")[0] not in _NAMESPACES)
    return tuple(f"operator {kind} is not of the runtime" for kind in foreign)


def _nodes(block: Any) -> Iterator[Any]:  # noqa: ANN401 - untyped
    """Yield the nodes of a graph and of the blocks inside them."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _nodes(inner)


def _frameworks() -> tuple[Any, Any]:
    torch = require("torch", extra="convert")
    with quiet("ipex"):
        return torch, require("intel_extension_for_pytorch", extra="convert")


def _trace(
    module: Any,  # noqa: ANN401 - untyped
    signature: Signature,
    file: Path,
) -> tuple[Any, list[dict[str, int]]]:
    """Trace with the smallest sizes that the model takes, freeze, and run with two others."""
    torch = require("torch", extra="convert")
    fault: Exception | None = None
    for least in _LEAST:
        sizes, *tried = (_sizes(signature, least + more) for more in (0, 1, 4))
        try:
            unit = torch._C.CompilationUnit()
            traced = torch.jit.trace(
                module, _examples(signature, sizes), check_trace=False, _compilation_unit=unit
            )
            frozen = torch.jit.freeze(traced.eval())
            for each in tried:
                _run(frozen, signature, each)
        except Exception as error:  # noqa: BLE001 - what a framework raises has no kind
            fault = fault or error
        else:
            return frozen, tried
    raise ConversionError(
        f"{file}: cannot be traced with any of the sizes {_LEAST} of its free axes: {fault}"
    ) from fault


def _sizes(signature: Signature, least: int) -> dict[str, int]:
    """Give each free axis of the inputs a size; no two alike, so that none passes for another."""
    names = dict.fromkeys(d for t in signature.inputs for d in t.shape if isinstance(d, str))
    return {name: least + 2 * number for number, name in enumerate(names)}


def _examples(signature: Signature, sizes: Mapping[str, int]) -> tuple[Any, ...]:
    """Make inputs: floats of order one, and zeros for what may be ids."""
    torch = require("torch", extra="convert")
    torch.manual_seed(0)
    made = []
    for tensor in signature.inputs:
        shape = [sizes[dim] if isinstance(dim, str) else dim for dim in tensor.shape]
        dtype = getattr(torch, tensor.dtype.value)
        kind = torch.randn if dtype.is_floating_point else torch.zeros
        made.append(kind(shape, dtype=dtype))
    return tuple(made)


def _run(module: Any, signature: Signature, sizes: Mapping[str, int]) -> tuple[Any, ...]:  # noqa: ANN401
    torch = require("torch", extra="convert")
    with torch.no_grad(), quiet("ipex"):
        return tuple(module(*_examples(signature, sizes)))


def _dtype(tensor: Any) -> DType:  # noqa: ANN401 - untyped
    return DType(str(tensor.dtype).removeprefix("torch."))


def _shape(one: Any, other: Any) -> tuple[Dim, ...]:  # noqa: ANN401 - untyped
    """Call an axis free where its size followed that of the inputs."""
    return tuple(
        int(size) if size == second else ANY
        for size, second in zip(one.shape, other.shape, strict=True)
    )


def _load(folder: Path) -> tuple[Any, Signature, list[dict[str, int]]]:
    torch, _ = _frameworks()
    file, texts = folder / ENTRY[Format.TORCHSCRIPT], {SIGNATURE: "", SIZES: ""}
    try:
        module = torch.jit.load(file, map_location="cpu", _extra_files=texts)
        return (
            module.eval(),
            Signature.model_validate_json(texts[SIGNATURE]),
            json.loads(texts[SIZES]),
        )
    except Exception as error:
        raise ConversionError(f"{file}: cannot be read back: {error}") from error


def _strip(traced: Path, file: Path) -> None:
    """Copy what computes, so that equal models are equal bytes.

    TorchScript numbers classes by how many the process has made so far.
    """
    with zipfile.ZipFile(traced) as source, zipfile.ZipFile(file, "w") as result:
        kept = [name for name in source.namelist() if not _TRACES.search(name)]
        texts = {name: source.read(name) for name in kept if _NAMED.search(name)}
        found = {int(number) for text in texts.values() for number in _NUMBERED.findall(text)}
        places = {b"%d" % number: b"%d" % place for place, number in enumerate(sorted(found))}

        def renumber(text: bytes) -> bytes:
            return _NUMBERED.sub(lambda number: b"___torch_mangle_" + places[number[1]], text)

        for name in kept:
            place = renumber(f"model/{name.partition('/')[2]}".encode()).decode()
            data = renumber(texts[name]) if name in texts else source.read(name)
            result.writestr(zipfile.ZipInfo(place), data)
    traced.unlink()


CONVERTER = Converter(
    source=Format.ONNX,
    result=Format.TORCHSCRIPT,
    convert=convert,
    read_signature=read_signature,
    inspect=inspect,
    in_target=True,
)
