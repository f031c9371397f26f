"""OpenVINO Model Server: `<model>/<number>/model.xml`, and a config.json that names all models."""

import json
import shutil
from pathlib import Path

from pydantic import JsonValue, TypeAdapter, ValidationError

from registry.errors import StoreError
from registry.exchange.layouts.layout import Layout, View, check_alone, check_whole
from registry.format import Format
from registry.manifest import BuiltPart

CONFIG = "config.json"

_READS = frozenset({Format.OPENVINO_IR, Format.ONNX})
_OBJECT = TypeAdapter(dict[str, JsonValue])


def write(view: View) -> Path:
    """Add a version to a model repository; other models and versions of it stay."""
    check_alone(view, "OpenVINO Model Server")
    part = check_whole(view, "OpenVINO Model Server")
    if part.artifact.format not in _READS:
        raise StoreError(
            f"{view.build.target}: OpenVINO Model Server reads OpenVINO IR and ONNX, not "
            f"{part.artifact.format}. Name another build with --target"
        )
    shutil.copytree(view.folder_of(part), view.place, dirs_exist_ok=True)
    path = view.out / CONFIG
    config = _read(path)
    rows = config.get("model_config_list")
    there = rows if isinstance(rows, list) else []
    others = [row for row in there if _name(row) != view.version.model]
    models: list[JsonValue] = [*others, {"config": _entry(view, part)}]
    path.write_text(json.dumps(config | {"model_config_list": models}, indent=1) + "\n")
    return path


def _entry(view: View, part: BuiltPart) -> dict[str, JsonValue]:
    """Describe the model. What it computes in is what was validated, on every host."""
    plugin: dict[str, JsonValue] = {"INFERENCE_PRECISION_HINT": part.precision}
    if part.contract.threads:
        plugin["INFERENCE_NUM_THREADS"] = part.contract.threads
    return {
        "name": view.version.model,
        "base_path": view.version.model,
        "target_device": "CPU",
        "model_version_policy": {"specific": {"versions": [view.version.number]}},
        "plugin_config": plugin,
    }


def _read(path: Path) -> dict[str, JsonValue]:
    try:
        return _OBJECT.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise StoreError(f"{path}: not a config of OpenVINO Model Server. Move it away") from error


def _name(row: JsonValue) -> JsonValue:
    config = row.get("config") if isinstance(row, dict) else None
    return config.get("name") if isinstance(config, dict) else None


OVMS = Layout(name="ovms", help="a repository of OpenVINO Model Server", wants=True, write=write)
