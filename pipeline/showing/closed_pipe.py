"""Write to whoever reads, and go on quietly once nobody does: `pipeline run … | head`."""

import os
from typing import TextIO


def write(stream: TextIO, text: str) -> None:
    """Write at once; what a closed pipe does not take is lost, as is all that follows."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
