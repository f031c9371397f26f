"""Plain folders: the files of a build, and beside them what they take and demand."""

import json
import shutil
from pathlib import Path

from pydantic import JsonValue

from registry.exchange.layouts.layout import Layout, View
from registry.manifest import BuiltPart


def write(view: View) -> Path:
    """Write `<model>/<number>/`: the part's files and `about.json`; of several, a folder each."""
    parts = view.build.parts
    whole = len(parts) == 1
    for part in parts:
        place = view.place if whole else view.place / part.name
        shutil.copytree(view.folder_of(part), place, dirs_exist_ok=True)
    about: dict[str, JsonValue] = {
        "model": view.version.model,
        "version": view.version.number,
        "fingerprint": view.version.fingerprint,
        "lookups": [lookup.model_dump(mode="json") for lookup in view.version.lookups],
    }
    if whole:
        about |= _described(parts[0])
    else:
        about["signature"] = view.version.signature.model_dump(mode="json")
        about["parts"] = [{"folder": part.name, **_described(part)} for part in parts]
    path = view.place / "about.json"
    path.write_text(json.dumps(about, indent=1) + "\n")
    return path


def _described(part: BuiltPart) -> dict[str, JsonValue]:
    return {
        "signature": part.artifact.signature.model_dump(mode="json"),
        "format": part.artifact.format,
        "contract": part.contract.model_dump(mode="json"),
    }


PLAIN = Layout(name="plain", help="the files, and about.json", wants=True, write=write)
