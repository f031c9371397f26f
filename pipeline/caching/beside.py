"""What this host has of a stage's outputs, of all jobs and times."""

from pathlib import Path

from pipeline.caching.kept_files import files_of_record


def files_beside(output: Path) -> dict[str, Path]:
    """Return the files of all outputs of a stage by digest, as their records list them.

    Nobody holds these outputs: a file may have gone or changed since.

    Args:
        output: One of them.
    """
    return {
        file.digest: other / name
        for other in output.parent.parent.glob(f"*/{output.name}")
        for name, file in files_of_record(other).items()
    }
