"""Which records of torch's zip archives lie in the file as they are, and so can be mapped."""

import zipfile
from pathlib import Path


def can_be_mapped(file: Path) -> bool:
    """Say whether all of a zip archive lies in it as it is, as torch writes it."""
    entries = _entries(file)
    return bool(entries) and not any(entry.compress_type for entry in entries)


def plain_records(file: Path) -> frozenset[str]:
    """Name the records that were not compressed, without the archive's own folder.

    Of TorchScript, torch compresses the code alone. What is no zip archive has none.
    """
    plain = (entry.filename for entry in _entries(file) if not entry.compress_type)
    return frozenset(name.partition("/")[2] for name in plain)


def _entries(file: Path) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return []
