"""TorchServe: a model archive with the TorchScript of a build and a handler for it."""

import json
import zipfile
from importlib import resources
from pathlib import Path

from registry.errors import StoreError
from registry.exchange.layouts.layout import Layout, View, check_alone, check_whole
from registry.format import ENTRY, Format

_HANDLER = "torchserve_handler.py"


def write(view: View) -> Path:
    """Write `<model>.mar`, for the model store of a TorchServe."""
    check_alone(view, "TorchServe")
    part = check_whole(view, "TorchServe")
    if part.artifact.format is not Format.TORCHSCRIPT:
        raise StoreError(
            f"{view.build.target}: TorchServe reads TorchScript, not {part.artifact.format}. "
            "Name another build with --target"
        )
    path = view.out / f"{view.version.model}.mar"
    serialized = ENTRY[part.artifact.format]
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(view.folder_of(part) / serialized, serialized)
        archive.writestr("handler.py", resources.files(__package__).joinpath(_HANDLER).read_text())
        archive.writestr("signature.json", view.version.signature.model_dump_json(indent=1))
        archive.writestr("MAR-INF/MANIFEST.json", json.dumps(_manifest(view, serialized)))
    return path


def _manifest(view: View, serialized: str) -> dict[str, object]:
    return {
        "createdOn": view.version.created.strftime("%d/%m/%Y %H:%M:%S"),
        "runtime": "python",
        "model": {
            "modelName": view.version.model,
            "modelVersion": str(view.version.number),
            "serializedFile": serialized,
            "handler": "handler.py",
        },
        "archiverVersion": "0.12.0",
    }


TORCHSERVE = Layout(name="torchserve", help="a model archive", wants=True, write=write)
