"""A version of a model that was converted elsewhere: unproven, and said to be."""

from pathlib import Path

from converters import CONVERTERS
from pipeline.adopting.found import Found, find_model, lay_part
from registry.composition import Artifact
from registry.digest import digest_file
from registry.errors import ConversionError, PlatformError
from registry.manifest import Build, BuiltPart, Contract, Draft, Lineage
from registry.signature import ANY, Axis, Input, Signature, Tensor
from targets import TARGETS


def adopt(model: str, source: Path, out: Path) -> Draft:
    """Lay a version's folder out, and return its draft.

    It has no parity and no recorded answers, since there is no original to compare with.

    Raises:
        SourceError: There is no model, or not just one.
        ConversionError: It cannot be read, or has what its runtime cannot run.
    """
    found = find_model(source)
    target = next(row for row in TARGETS if row.format is found.format)
    folder = f"builds/{target.runtime}"
    lay_part(found, out / folder)
    read = _read_signature(found, out / folder)
    signature = _named(read)
    dense = Artifact(
        part="dense", format=found.format, folder=folder, signature=read, maker="imported"
    )
    at_least, below = target.versions
    contract = Contract(
        isa=target.precisions["f32"],
        runtime=target.runtime,
        at_least=at_least,
        below=below,
        precision="f32",
    )
    return Draft(
        model=model,
        signature=signature,
        inputs=tuple(
            Input(name=one.name, dtype=one.dtype, shape=one.shape) for one in signature.inputs
        ),
        axes={dim: Axis() for one in signature.inputs for dim in one.shape if isinstance(dim, str)},
        ids=None,
        tables=(),
        lookups=(),
        builds=(
            Build(
                target=target.runtime,
                parts=(
                    BuiltPart(
                        target=target.runtime,
                        runtime=target.runtime,
                        precision="f32",
                        artifact=dense,
                        contract=contract,
                    ),
                ),
                parity=(),
            ),
        ),
        recorded=None,
        report=None,
        lineage=Lineage(
            job="imported",
            source=f"{found.format} {found.file.name}, imported",
            source_digest=digest_file(found.file).digest,
            tools={target.package: target.version()},
        ),
    )


def _read_signature(found: Found, folder: Path) -> Signature:
    """Read what the files take and answer, by whom the platform writes such files with."""
    converter = next(row for row in CONVERTERS if row.result is found.format)
    try:
        signature = converter.read_signature(folder)
        faults = converter.inspect(folder)
    except PlatformError as error:
        raise type(error)(f"{found.file} cannot be imported: {error}") from error
    if faults:
        raise ConversionError(f"{found.file}: {'; '.join(faults)}. Convert it again")
    return signature


def _named(signature: Signature) -> Signature:
    """Give axes without a name one, so that requests can be checked."""

    def name(tensor: Tensor) -> Tensor:
        shape = tuple(
            f"{tensor.name}_{at}" if dim == ANY else dim for at, dim in enumerate(tensor.shape)
        )
        return tensor.model_copy(update={"shape": shape})

    return Signature(
        inputs=tuple(map(name, signature.inputs)), outputs=tuple(map(name, signature.outputs))
    )
