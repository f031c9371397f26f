"""What a written TorchScript file says of itself when it is run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from converters.torchscript.files import load_module
from converters.torchscript.tracing import run
from registry.errors import ConversionError
from registry.signature import ANY, Dim, DType, Signature, Tensor

#: Namespaces of operators that torch itself has.
NAMESPACES = ("aten", "prim", "quantized")


def signature_of_module(file: Path) -> Signature:
    """Run the written module with two sizes of its axes, and tell what came of it."""
    module, given, tried = load_module(file)
    return signature_of_runs(given.signature, [run(module, given, sizes) for sizes in tried])


def signature_of_runs(signature: Signature, runs: list[tuple[Any, ...]]) -> Signature:
    """Tell the dtypes and shapes of the outputs from two runs with other sizes of free axes."""
    one, other = runs
    outputs = tuple(
        Tensor(name=tensor.name, dtype=_dtype(first), shape=shape)
        for tensor, first, shape in zip(
            signature.outputs, one, map(_shape, one, other), strict=True
        )
    )
    return Signature(inputs=signature.inputs, outputs=outputs)


def faults_of_module(file: Path, namespaces: tuple[str, ...]) -> tuple[str, ...]:
    """List operators that are not of these namespaces."""
    try:
        module, _, _ = load_module(file)
    except ConversionError as error:
        return (str(error),)
    kinds = {node.kind() for node in _nodes(module.inlined_graph)}
    foreign = sorted(kind for kind in kinds if kind.partition("::")[0] not in namespaces)
    return tuple(f"operator {kind} is not of the runtime" for kind in foreign)


def _nodes(block: Any) -> Iterator[Any]:  # noqa: ANN401 - untyped
    """Yield the nodes of a graph and of the blocks inside them."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _nodes(inner)


def _dtype(tensor: Any) -> DType:  # noqa: ANN401 - untyped
    return DType(str(tensor.dtype).removeprefix("torch."))


def _shape(one: Any, other: Any) -> tuple[Dim, ...]:  # noqa: ANN401 - untyped
    """Call an axis free where its size followed that of the inputs."""
    return tuple(
        int(size) if size == second else ANY
        for size, second in zip(one.shape, other.shape, strict=True)
    )
