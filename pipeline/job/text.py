"""The text of a job file, before anything is made of it."""

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from registry.errors import JobError

LIMIT = 1 << 20

_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

#: UTF-32 first: its little-endian mark starts with that of UTF-16.
_FOREIGN_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


@dataclass(frozen=True)
class Text:
    """A file's content, and its name as the user gave it."""

    name: str
    content: str

    @property
    def lines(self) -> list[str]:
        """Split where PyYAML does, so that its line numbers fit."""
        return _LINE_END.split(self.content)


def read_text(path: Path) -> Text:
    """Read a job file, which is UTF-8 of at most 1 MiB.

    Raises:
        JobError: It is missing, not a file, too long, or in another encoding.
    """
    data = _read(path)
    if len(data) > LIMIT:
        raise JobError(
            f"{path}: longer than 1 MiB, which no job needs. Keep data in the samples file"
        )
    for mark, encoding in _FOREIGN_MARKS:
        if data.startswith(mark):
            raise JobError(f"{path}: the file is {encoding}. Save it as UTF-8")
    try:
        return Text(str(path), data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise JobError(
            f"{path}:{line}: byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8"
        ) from error


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LIMIT + 1)
    except FileNotFoundError as error:
        raise JobError(
            f"{path}: no such file. Write one: pipeline init --onnx MODEL.onnx --out {path}, or"
            " with --factory MODULE:CALLABLE or --program MODEL.pt2 in place of --onnx"
        ) from error
    except IsADirectoryError as error:
        raise JobError(f"{path}: a folder. Name the job file in it") from error
    except (OSError, ValueError) as error:
        raise JobError(f"{path}: cannot be read: {error}") from error
