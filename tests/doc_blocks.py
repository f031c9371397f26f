"""What the documents say that can be run."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def blocks_of(file: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", file.read_text(), re.DOTALL | re.MULTILINE)


def commands_of(file: Path) -> list[str]:
    """Return what begins with `pipeline`, in console blocks, indented lines and sentences."""
    text = file.read_text()
    blocks = [
        line.removeprefix("$ ")
        for block in blocks_of(file, "console")
        for line in block.splitlines()
    ]
    indented = re.findall(r"^    (pipeline .*)$", text, re.MULTILINE)
    inline = re.findall(r"`(pipeline [^`\n]+(?:\n[^`\n]+)?)`", text)
    found = [line for line in (*blocks, *indented, *inline) if line.startswith("pipeline ")]
    return [" ".join(_bare(line).split()) for line in found]


def _bare(line: str) -> str:
    """Leave out comments, explanations in a second column, and what a shell does behind."""
    line = re.split(r"\s+#\s|\s{3,}|\s[|>&]", line, maxsplit=1)[0]
    return line.removesuffix("&")
