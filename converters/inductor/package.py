"""Write a package, and read it back.

model.pt2       torch's own archive: a shared library with the weights in it
package.json    names, dtypes and shapes, sizes of the free axes that it was run with, and the
                CPU flags that it needs
"""

import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from converters.converter import ConvertOptions
from converters.inductor.compiler import check_compiler, settings
from converters.inductor.vectors import Vectors, check_here, only, vectors_for
from converters.quiet import quiet
from converters.torchscript.examples import Examples, choices
from converters.torchscript.read_back import signature_of_runs
from converters.torchscript.tracing import run
from registry.errors import ConversionError
from registry.format import ENTRY, Format
from registry.require import require
from registry.signature import Frozen, Signature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

PACKAGE = "package.json"

#: What the library was made from, which nothing reads again.
_SOURCES = re.compile(r"\.cpp$|/serialization_id$")


class Package(Frozen):
    """What is known of a package.

    Attributes:
        sizes: Of the free axes: two sets of them, with which it ran.
        values: Lowest and highest number of each input of integers, where the job says.
        flags: What the CPU has to have.
    """

    signature: Signature
    sizes: tuple[dict[str, int], ...]
    values: dict[str, tuple[int, int]]
    flags: tuple[str, ...]


def write_package(
    program: "ExportedProgram", given: Examples, out: Path, options: ConvertOptions
) -> str:
    """Compile a program for the target's CPU; say what did it.

    Raises:
        ConversionError: There is no compiler, it fails, or the package does not run with other
            sizes of its free axes than the program was made with.
    """
    torch = require("torch", extra="convert")
    if options.weights != "f32":
        raise ConversionError(f"AOTInductor keeps weights as f32 here, not as {options.weights}")
    vectors, file = vectors_for(options.isa), out / ENTRY[Format.INDUCTOR]
    check_compiler()
    check_here(vectors)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.pt2"
        _compile(program, whole, vectors)
        _strip(whole, file)
    if (built := _built_for(file)) != vectors.name:
        raise ConversionError(f"{file}: torch built it for {built}, not for {vectors.name}")
    sizes = _sizes(file, given)
    package = Package(
        signature=given.signature, sizes=sizes, values=dict(given.values), flags=vectors.flags
    )
    (out / PACKAGE).write_text(package.model_dump_json(indent=1))
    return f"AOTInductor of torch {torch.__version__}"


def _compile(program: "ExportedProgram", file: Path, vectors: Vectors) -> None:
    """Compile in a cache of its own, so that nothing comes of what was there before."""
    inductor = require("torch._inductor", extra="convert")
    caches = require("torch._inductor.utils", extra="convert")
    try:
        with quiet("inductor", "torch"), caches.fresh_cache(), only(vectors):
            inductor.aoti_compile_and_package(
                program, package_path=str(file), inductor_configs=settings(vectors)
            )
    except Exception as error:
        said = str(error).strip().splitlines()
        raise ConversionError(
            f"AOTInductor cannot compile it: {said[0] if said else type(error).__name__}"
        ) from error


def _strip(whole: Path, file: Path) -> None:
    """Copy what computes, by names that do not depend on the file's."""
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(file, "w") as result:
        for name in source.namelist():
            if not _SOURCES.search(name):
                place = f"model/{name.partition('/')[2]}"
                result.writestr(zipfile.ZipInfo(place), source.read(name))


def _built_for(file: Path) -> str:
    """Read what torch says that it built for."""
    with zipfile.ZipFile(file) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith("wrapper_metadata.json"))
        return str(json.loads(archive.read(name))["AOTI_CPU_ISA"])


def _sizes(file: Path, given: Examples) -> tuple[dict[str, int], ...]:
    """Run the package with two sizes of its free axes, the smallest that it takes."""
    fault: Exception | None = None
    loaded = _loaded(file)
    for _, *tried in choices(given):
        try:
            for each in tried:
                run(loaded, given, each)
        except Exception as error:  # noqa: BLE001 - what a framework raises has no kind
            fault = fault or error
        else:
            return tuple(tried)
    raise ConversionError(f"{file}: does not run with sizes that the job allows: {fault}")


def _loaded(file: Path) -> Any:  # noqa: ANN401 - untyped
    """Load a package whose bytes are whole: a library that is cut short kills the process.

    Torch's own function would compile something first, to see what this host can do.
    """
    torch = require("torch", extra="convert")
    with zipfile.ZipFile(file) as archive:
        if damaged := archive.testzip():
            raise ConversionError(f"{file}: {damaged} is damaged")
    with quiet("inductor", "torch"):
        loader = torch._C._aoti.AOTIModelPackageLoader(str(file), "model", False, 1, -1)  # noqa: FBT003
    return lambda *inputs: loader.run(list(inputs))


def read_signature(folder: Path) -> Signature:
    """Run the written package with two sizes of its axes, and tell what came of it.

    Raises:
        ConversionError: It cannot be read back.
    """
    file = folder / ENTRY[Format.INDUCTOR]
    try:
        package = Package.model_validate_json((folder / PACKAGE).read_bytes())
        loaded = _loaded(file)
    except (OSError, zipfile.BadZipFile, ValidationError, RuntimeError) as error:
        raise ConversionError(f"{file}: cannot be read back: {error}") from error
    given = Examples(package.signature, package.values, {})
    return signature_of_runs(package.signature, [run(loaded, given, s) for s in package.sizes])


def inspect(folder: Path) -> tuple[str, ...]:
    """Load it: a library either has all that it calls, or it does not load."""
    try:
        read_signature(folder)
    except ConversionError as error:
        return (str(error),)
    return ()
