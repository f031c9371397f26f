"""Where outputs and runs are kept."""

import os
from pathlib import Path


def find_home() -> Path:
    """Return the folder that PIPELINE_HOME names, or `.pipeline` in the current folder."""
    return Path(os.environ.get("PIPELINE_HOME") or ".pipeline").resolve()
