"""Plain folders: the files of a build, and beside them what they take and demand."""

import json
import shutil
from pathlib import Path

from registry.exchange.layouts.layout import Layout, View


def write(view: View) -> Path:
    """Write `<model>/<number>/`: the part's files and `about.json`."""
    shutil.copytree(view.part, view.place, dirs_exist_ok=True)
    about = {
        "model": view.version.model,
        "version": view.version.number,
        "fingerprint": view.version.fingerprint,
        "signature": view.build.dense.signature.model_dump(mode="json"),
        "format": view.build.dense.format,
        "contract": view.build.contract.model_dump(mode="json"),
        "lookups": [lookup.model_dump(mode="json") for lookup in view.version.lookups],
    }
    path = view.place / "about.json"
    path.write_text(json.dumps(about, indent=1) + "\n")
    return path


PLAIN = Layout(name="plain", help="the files, and about.json", wants=True, write=write)
