"""The files of an output as they were when it was kept, so that a later change is noticed.

Stages link files of one another, and one changed byte would change all outputs that hold it.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from registry.digest import digest_file
from registry.manifest import File
from registry.signature import Frozen

#: What tells one file on this host from another: its device and its inode.
_Place = tuple[int, int]


class KeptFile(File):
    """A file's digest and size, and when it was last written, in ns."""

    mtime_ns: int


class _Listing(Frozen, extra="ignore"):
    """The part of `record.json` that lists the files."""

    files: dict[str, KeptFile]


def keep_files(
    output: Path, read: Iterable[Path] = (), hashed: Mapping[str, File] | None = None
) -> dict[str, KeptFile]:
    """Make an output's files read-only and digest them.

    Args:
        read: Outputs that it was made from. A file that is linked from there keeps the digest
            that it had there: it is not read again, and is not believed to be what it is now.
        hashed: Digests of files as they were written, by their path: these are not read either.
    """
    known = dict(entry for other in read for entry in _unchanged(other))
    written, kept = hashed or {}, {}
    for path in _files_of(output):
        name, stat = path.relative_to(output).as_posix(), path.stat()
        file = known.get((stat.st_dev, stat.st_ino))
        if file is None:
            path.chmod(0o444)
            found = written.get(name)
            if found is None or found.size != stat.st_size:
                found = digest_file(path)
            file = KeptFile(digest=found.digest, size=found.size, mtime_ns=stat.st_mtime_ns)
        kept[name] = file
    return kept


def check_files(output: Path, kept: Mapping[str, KeptFile]) -> None:
    """Hold an output against what was kept; only a file of another size or time is read.

    Raises:
        ValueError: A file is gone or was changed; the message names it.
    """
    for name, file in kept.items():
        try:
            unchanged = _is_as_kept(output / name, file) or _digest(output / name) == file.digest
        except FileNotFoundError:
            raise ValueError(f"its file {name} is gone") from None
        if not unchanged:
            raise ValueError(f"its file {name} was changed")


def files_of_record(output: Path) -> dict[str, KeptFile]:
    """Return the files as the record beside an output lists them; none where there is no record."""
    try:
        return _Listing.model_validate_json((output.parent / "record.json").read_bytes()).files
    except (OSError, ValidationError):
        return {}


def _unchanged(output: Path) -> Iterator[tuple[_Place, KeptFile]]:
    for name, file in files_of_record(output).items():
        if (output / name).exists() and _is_as_kept(output / name, file):
            stat = (output / name).stat()
            yield (stat.st_dev, stat.st_ino), file


def _is_as_kept(path: Path, file: KeptFile) -> bool:
    stat = path.stat()
    return (stat.st_size, stat.st_mtime_ns) == (file.size, file.mtime_ns)


def _digest(path: Path) -> str:
    return digest_file(path).digest


def _files_of(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]
