"""What memory a process needs for itself.

Pages of files that it has mapped do not count: the kernel drops them where memory is short. A
stage that reads tables of any size through a mapping would else seem to need as much memory.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Memory:
    """Resident memory of a process in bytes.

    Attributes:
        own: What is its own: nothing but swap could take it away.
        mapped: Pages of files.
        highest: The most of both together since it began.
    """

    own: int
    mapped: int
    highest: int


def memory_of(process: int | str) -> Memory | None:
    """Read the memory of a process, by its number or 'self'; None once it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    said = dict(line.split(":", 1) for line in lines if line.startswith(("Rss", "VmHWM")))
    figures = {name: int(text.split()[0]) << 10 for name, text in said.items()}
    if "VmHWM" not in figures:
        return None
    own = figures["RssAnon"] + figures["RssShmem"]
    return Memory(own, figures["RssFile"], figures["VmHWM"])


class Peak:
    """The most memory of its own that a process was seen to hold."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._own = self._mapped = 0

    def look(self) -> None:
        """Look at the process now; its memory may change between two looks."""
        if now := memory_of(self._process):
            self._own = max(self._own, now.own)
            self._mapped = max(self._mapped, now.mapped)

    def with_end(self, highest: int, mapped: int) -> int:
        """Return the peak, by what was seen and what the process said of itself at its end.

        The kernel keeps the highest of both kinds together, which no look can miss.
        """
        return max(self._own, highest - max(self._mapped, mapped))
