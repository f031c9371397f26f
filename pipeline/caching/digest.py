"""SHA-256 of files, each read once as long as it does not change."""

import hashlib
import json
import os
import time
from pathlib import Path

from registry.errors import SourceError

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

    def of(self, path: Path) -> str:
        """Return a file's digest as hex digits.

        Raises:
            SourceError: There is no such file.
        """
        name = str(path.resolve())
        try:
            stat = path.stat()
            mark: list[int | str] = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
            known = self._known.get(name)
            if known is not None and known[:3] == mark:
                return str(known[3])
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise SourceError(f"{path}: cannot be read: {error.strerror}") from error
        self._known[name] = [*mark, digest]
        if time.time_ns() - stat.st_mtime_ns > _SETTLED:
            self._new = True
        else:
            self._unsettled.add(name)
        return digest

    def save(self) -> None:
        """Keep what was learnt for the next time; the last of several runs wins."""
        if self._new:
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            draft = self._memory.with_suffix(f".{os.getpid()}")
            settled = {k: v for k, v in self._known.items() if k not in self._unsettled}
            draft.write_text(json.dumps(settled))
            draft.replace(self._memory)
            self._new = False


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
