"""Whether this process is a command that the platform's environment started in a toolchain."""

import os
from pathlib import Path

#: Says that the command was started anew, so that it is not once more: by the Python named.
ENTERED = "PIPELINE_ENTERED"


def entered_from() -> Path | None:
    """Return the Python of the platform's own environment, where this is another."""
    named = os.environ.get(ENTERED)
    return Path(named) if named else None
