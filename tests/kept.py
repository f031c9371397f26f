"""Outputs of stages that ran without the engine, with the record that it would have left."""

import json
from pathlib import Path

from pipeline.caching.kept_files import keep_files


def write_record(output: Path) -> None:
    """Write the `record.json` beside an output, as far as stages read it."""
    files = {name: file.model_dump() for name, file in keep_files(output).items()}
    (output.parent / "record.json").write_text(json.dumps({"files": files}))
