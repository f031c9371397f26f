"""Files of pins, as pip reads them: `name==version`, with the digests of its wheels."""

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

_LINE = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)(?P<hashes>( --hash=\S+)+)")


@dataclass(frozen=True)
class Pin:
    """One package; `line` is what pip is told."""

    name: str
    version: str
    line: str


def read_pins(file: Path) -> tuple[Pin, ...]:
    """Read a file of pins.

    Raises:
        ValueError: A line is no pin, or pins nothing by a digest.
    """
    text = file.read_text("utf-8").replace("\\\n", " ")
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    return tuple(_read(line, file) for line in lines if line and not line.startswith("#"))


def _read(line: str, file: Path) -> Pin:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"{file.name}: '{line[:60]}' is not 'name==version --hash=sha256:...'")
    return Pin(canonicalize_name(found["name"]), found["version"], line)
