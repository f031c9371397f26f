"""SHA-256 of files, each read once as long as it does not change."""

import hashlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path

from pipeline.caching.whole_file import write_whole
from registry.digest import Advance, digest_file, ignore
from registry.errors import SourceError
from registry.progress import Progress

#: A file that changed this recently (in ns) may change again within the same tick of its clock.
_SETTLED = 2_000_000_000

#: Our own code that a stage cannot reach, by its path from the root.
_OUT_OF_REACH = ("targets/serving", "targets/rollout")


class Digests:
    """The digests of files, remembered in a file by path, size, time and inode."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._known: dict[str, list[int | str]] = _read(memory)
        self._unsettled: set[str] = set()
        self._new = False

    def learn(self, paths: Iterable[Path], progress: Progress) -> None:
        """Read those files that are not known yet, and tell how far that is, in bytes.

        Raises:
            SourceError: A file is not there.
        """
        unknown = [path for path in dict.fromkeys(paths) if self._remembered(path) is None]
        total, done = sum(path.stat().st_size for path in unknown), 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            progress(done, total, "bytes")

        for path in unknown:
            self.of(path, advance)

    def of(self, path: Path, advance: Advance = ignore) -> str:
        """Return a file's digest as hex digits.

        Args:
            advance: Told of the bytes as they are read, where the file is not known yet.

        Raises:
            SourceError: There is no such file.
        """
        if (known := self._remembered(path)) is not None:
            return known
        name = str(path.resolve())
        try:
            stat = path.stat()
            mark = _mark(stat)
            digest = digest_file(path, advance).digest
        except OSError as error:
            raise _unreadable(path, error) from error
        self._known[name] = [*mark, digest]
        if time.time_ns() - stat.st_mtime_ns > _SETTLED:
            self._new = True
        else:
            self._unsettled.add(name)
        return digest

    def _remembered(self, path: Path) -> str | None:
        """Return the digest of a file that did not change since it was read."""
        known = self._known.get(str(path.resolve()))
        try:
            mark = _mark(path.stat())
        except OSError as error:
            raise _unreadable(path, error) from error
        return str(known[3]) if known is not None and known[:3] == mark else None

    def save(self) -> None:
        """Keep what was learnt for the next time; the last of several runs wins."""
        if self._new:
            settled = {k: v for k, v in self._known.items() if k not in self._unsettled}
            write_whole(self._memory, json.dumps(settled))
            self._new = False


def _mark(stat: os.stat_result) -> list[int | str]:
    """Return what changes with a file's content."""
    return [stat.st_size, stat.st_mtime_ns, stat.st_ino]


def _unreadable(path: Path, error: OSError) -> SourceError:
    return SourceError(f"{path}: cannot be read: {error.strerror}")


def _read(memory: Path) -> dict[str, list[int | str]]:
    """Read what was remembered; a file that is broken is as good as none."""
    try:
        known = json.loads(memory.read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def digest_of_code(root: Path) -> str:
    """Return the digest of all code of ours that a stage can reach.

    Which of it a stage does reach is not asked: a wrong guess would reuse a stale output, and
    the code changes with a new version of the platform only.
    """
    files = [root / "pipeline" / "processes" / "task.py"]
    for folder in ("registry", "converters", "targets", "pipeline/stages", "pipeline/job"):
        files += (root / folder).rglob("*.py")
    digest = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(root).as_posix()
        if not name.startswith(_OUT_OF_REACH):
            digest.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()
