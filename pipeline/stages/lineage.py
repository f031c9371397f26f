"""Where a version comes from."""

import hashlib
import subprocess
from pathlib import Path

from pipeline.toolchains.versions import tool_versions
from registry.manifest import Lineage


def trace(job: str, source: str, source_digest: str, folder: Path) -> Lineage:
    """Write down where a version comes from.

    Args:
        job: The text of the job file; its digest is kept.
        folder: The job file's folder.
    """
    return Lineage(
        job=f"sha256:{hashlib.sha256(job.encode()).hexdigest()}",
        source=source,
        source_digest=source_digest,
        tools=tool_versions(),
        commit=commit_of(folder),
    )


def commit_of(folder: Path) -> str | None:
    """Return the commit that is checked out, with '+' behind it where files were changed since.

    None where the folder is in no git repository, or there is no git.
    """
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None
    return commit + ("+" if _git(folder, "status", "--porcelain", "--untracked-files=no") else "")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603  the arguments are ours
            # Without locks git leaves its index alone. Which git it is, is the user's choice.
            ["git", "--no-optional-locks", "-C", str(folder), *arguments],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
