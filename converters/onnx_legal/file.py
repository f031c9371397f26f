"""An ONNX file as OpenVINO is to read it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from converters.onnx_legal.legalise import legalise
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_models.faults import external_files
from converters.onnx_models.files import open_model
from converters.onnx_models.inline import bring_in
from registry.errors import ConversionError, SourceError


@contextmanager
def legal_file(file: Path, rewrites: Sequence[Rewrite], beside: Path) -> Iterator[Path]:
    """Give the file itself, or a rewritten one with its weights, while it is read.

    Args:
        beside: A folder that the rewritten one may be put in for the time.

    Raises:
        ConversionError: Names each node that OpenVINO would refuse or compute wrongly.
    """
    import onnx

    model = open_model(file)
    try:
        bring_in(model, file.parent)
        legal = legalise(model, rewrites)
    except SourceError as error:
        raise ConversionError(f"{file}: {error}") from error
    except ConversionError as error:
        raise ConversionError(f"{file}: {error}. Replace it, or build for onnxruntime") from error
    if legal is model:
        yield file
        return
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="legal-", dir=beside) as folder:
        for weights in external_files(legal, file.parent):
            _put(weights, Path(folder) / weights.relative_to(file.parent))
        made = Path(folder) / file.name
        onnx.save(legal, made)
        yield made


def _put(weights: Path, place: Path) -> None:
    """Give a file a second name, or copy it; OpenVINO does not follow links out of a folder."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.hardlink_to(weights.resolve())
    except OSError:  # on another disk
        shutil.copyfile(weights, place)
