"""The files of a version: in the folder that is to be published, and as a manifest names them."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from registry.errors import IntegrityError
from registry.format import ENTRY
from registry.manifest import Draft
from registry.partial_file import PARTIAL
from registry.safe_path import faults_of


def find_files(folder: Path, draft: Draft) -> dict[str, Path]:
    """Find every file of a folder, by its name there, and make sure that a draft can have it so.

    Raises:
        IntegrityError: A link leads out of the folder, an entry is no file, a name could not
            be pulled, or a file that the draft names is not there.
    """
    files = {path.relative_to(folder).as_posix(): path for path in _walk(folder, folder.resolve())}
    lacking = sorted(named(draft) - set(files))
    faults = [*faults_of(files), *(f"{name!r} is missing" for name in lacking)]
    if faults:
        raise IntegrityError(f"{folder} cannot be published: {'; '.join(faults)}")
    return dict(sorted(files.items()))


def named(draft: Draft) -> set[str]:
    """Return the files that a draft cannot do without."""
    built = (part.artifact for build in draft.builds for part in build.parts)
    artifacts = (*built, *draft.id_programs)
    names = {str(PurePosixPath(part.folder) / ENTRY[part.format]) for part in artifacts}
    names |= {shard.file for table in draft.tables for shard in table.shards}
    names |= {vocabulary.file for vocabulary in draft.vocabularies}
    names |= {draft.recorded} if draft.recorded else set()
    return names | ({f"{draft.report}/index.html"} if draft.report else set())


def _walk(folder: Path, root: Path) -> Iterator[Path]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path = Path(entry.path)
        if entry.is_symlink() and not path.resolve().is_relative_to(root):
            raise IntegrityError(
                f"{path} links to {path.readlink()}, out of the folder that is published. "
                "Replace the link by a copy"
            )
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root) if entry.name != PARTIAL else ()
        elif entry.is_file():
            yield path
        else:
            raise IntegrityError(f"{path} is neither a file nor a folder. Take it out")
