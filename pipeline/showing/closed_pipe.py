"""Write to whoever reads, and go on quietly once nobody does: `pipeline run … | head`."""

import os
from typing import TextIO


def write(stream: TextIO, text: str) -> None:
    """Write at once; what a closed pipe does not take is lost, as is all that follows."""
    try:
        _write(stream, text)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _write(stream: TextIO, text: str) -> None:
    """Write; signs that the stream's encoding lacks, as of odd file names, are spelt out."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        known = stream.encoding or "ascii"
        stream.write(text.encode(known, "backslashreplace").decode(known))
