"""Files that others read meanwhile: the old one or the new one, never a part of either."""

from pathlib import Path
from uuid import uuid4


def write_whole(path: Path, text: str) -> None:
    """Write a file by one rename; of several writers at once, in any process, the last one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{uuid4().hex}.partial")
    try:
        draft.write_text(text)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
